import { parseJson } from '../base/json.ts';
import { isObject } from '../base/is-object.ts';
import { unknownName } from '../base/unknown-name.ts';
import type { ToolCall } from '../protocol/protocol.ts';
import type { ToolArguments, ToolFunction } from '../scenario/scenario.ts';
import type { Script, ScriptFunction } from './script.ts';

/** A call of a tool that the scenario has. */
export interface ReadCall {
  call: ToolCall;
  tool: ScriptFunction<ToolFunction>;
  given: ToolArguments;
}

/** Reads what a reply calls: every call with its tool, or what is wrong with one, in words. */
export function readCalls(tools: Script['tools'], calls: readonly ToolCall[]): ReadCall[] | string {
  const read: ReadCall[] = [];
  for (const call of calls) {
    const tool = tools.get(call.name);
    if (tool === undefined) return `the reply calls an ${unknownName('tool', call.name, [...tools.keys()])}`;
    const given = argumentsOf(call);
    if (given === undefined) return `the reply calls the tool ${call.name} with arguments that are no JSON object`;
    read.push({ call, tool, given });
  }
  return read;
}

/** Some write nothing for no arguments. */
function argumentsOf({ arguments: text }: ToolCall): ToolArguments | undefined {
  if (text.trim() === '') return {};
  try {
    const given: unknown = parseJson(text);
    return isObject(given) ? given : undefined;
  } catch {
    return undefined;
  }
}
