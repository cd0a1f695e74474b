import { isObject } from '../../base/is-object.ts';
import type { Judged } from '../classify-whole.ts';
import { usageOf } from '../model-api/usage.ts';
import type { ToolCall } from '../protocol.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Judges a response: the parts of its messages are what was said, its `function_call` items the calls. */
export function judgeResponse(response: Fields): Judged {
  const { id, status, output, usage } = response;
  if (typeof id !== 'string' || id === '') return { broken: 'a response without an id' };
  if (!ended.includes(status)) return { broken: 'a response that is not complete' };
  if (!Array.isArray(output) || !output.every(isObject)) return { broken: 'output is no list of items' };
  const text = textOf(itemsOf(output, 'message'));
  if (text === undefined) return { broken: 'a message without a list of texts' };
  const toolCalls = itemsOf(output, 'function_call').map(readCall);
  if (!toolCalls.every((call) => call !== undefined))
    return { broken: 'a function_call without a call_id, a name or arguments' };
  return {
    reply: {
      text,
      id,
      data: response,
      toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
      usage: usageOf(usage, ['input_tokens', 'output_tokens']),
    },
  };
}

/** `incomplete` is a reply that was cut off by its limit of tokens or by a filter. */
const ended: readonly unknown[] = ['completed', 'incomplete', undefined];

const itemsOf = (output: readonly Fields[], type: string): readonly Fields[] =>
  output.filter((item) => item['type'] === type);

/** What messages say; `undefined`: one of them has another shape. */
function textOf(messages: readonly Fields[]): string | undefined {
  const texts = messages.flatMap(partsOf).map(textOfPart);
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}

const partsOf = ({ content }: Fields): readonly unknown[] => (Array.isArray(content) ? content : [undefined]);

function textOfPart(part: unknown): string | undefined {
  if (!isObject(part)) return undefined;
  const text = part['type'] === 'output_text' ? part['text'] : part['type'] === 'refusal' ? part['refusal'] : '';
  return typeof text === 'string' ? text : undefined;
}

function readCall({ call_id: id, name, arguments: text }: Fields): ToolCall | undefined {
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') return undefined;
  return { id, name, arguments: text };
}
