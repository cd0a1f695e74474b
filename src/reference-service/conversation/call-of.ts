import { parseJson } from '../../base/json.ts';
import type { Prompt, ProviderReply } from './provider.ts';

const asked = /\bcall the tool ([\w-]{1,64}) with (\{.*\})/is;

/** The call of a tool that a message asks for, unless its result is there already. */
export function callOf({ message, toolResult }: Prompt): ProviderReply | undefined {
  const [, name, input] = (toolResult === undefined && asked.exec(message)) || [];
  return name !== undefined && input !== undefined && isJson(input) ? { kind: 'call', name, text: input } : undefined;
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
