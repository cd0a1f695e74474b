import { isObject } from '../../base/is-object.ts';
import type { Judged } from '../classify-whole.ts';
import { usageOf } from '../model-api/usage.ts';
import type { ToolCall } from '../protocol.ts';

/** Judges a completion: the first of its choices is the reply. */
export function judgeCompletion(completion: Readonly<Record<string, unknown>>): Judged {
  const { id, choices, usage } = completion;
  const message = firstMessage(choices);
  if (message === undefined) return { broken: 'there is no choices[0].message' };
  const { content = null, refusal, tool_calls: calls = null } = message;
  if (content !== null && typeof content !== 'string') return { broken: 'content is neither a text nor null' };
  const toolCalls = readCalls(calls);
  if (toolCalls === undefined) return { broken: 'tool_calls is no list of calls with an id, a name and arguments' };
  return {
    reply: {
      text: (content ?? '') + (typeof refusal === 'string' ? refusal : ''),
      id: typeof id === 'string' && id !== '' ? id : undefined,
      data: completion,
      toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
      usage: usageOf(usage, ['prompt_tokens', 'completion_tokens']),
    },
  };
}

function firstMessage(choices: unknown): Readonly<Record<string, unknown>> | undefined {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(first) ? first['message'] : undefined;
  return isObject(message) ? message : undefined;
}

/** The calls of a message; `undefined`: they have another shape. */
function readCalls(calls: unknown): readonly ToolCall[] | undefined {
  if (calls === null) return [];
  if (!Array.isArray(calls)) return undefined;
  const read = calls.map(readCall).filter((call) => call !== undefined);
  return read.length === calls.length ? read : undefined;
}

function readCall(call: unknown): ToolCall | undefined {
  if (!isObject(call) || !isObject(call['function'])) return undefined;
  const { id } = call;
  const { name, arguments: text } = call['function'];
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') return undefined;
  return { id, name, arguments: text };
}
