import { isObject } from '../../base/is-object.ts';
import { shallowText } from '../../base/json.ts';
import type { Judged } from '../classify-whole.ts';
import { errorInEvent, readError, refuseError, refuseResponse } from '../model-api/api-error.ts';
import { judgeFinish, type Fields } from '../model-api/read-reply.ts';
import { Notes } from '../notes.ts';
import type { Reply, ToolCall, Usage, Verdict } from '../protocol.ts';
import { tokenCount } from '../usage.ts';
import { isOfModel, messageOf, reasonIn, textIn } from './read-message.ts';

/** Judges the state of a thread after a run: its replies after the user's last message, and after the previous reply, are the turn. */
export function judgeState(state: Fields, earlierId: string | undefined, notes = new Notes()): Judged {
  const messages = messagesIn(state, notes);
  if (messages === undefined) return { broken: 'the state has no list of messages' };
  const turn = repliesOfTurn(messages, earlierId);
  const last = turn.at(-1);
  if (last === undefined) return { broken: 'the state contains no reply' };
  const text = textIn(last['content']);
  if (text === undefined) return { broken: 'the content of a reply is neither a text nor a list of parts' };
  const toolCalls = callsIn(last['tool_calls']);
  if (toolCalls === undefined) return { broken: 'a tool call without a name' };
  return judgeFinish(reasonIn(last), { ...replyOf(last, { text, toolCalls, turn }), notes: notes.all });
}

/** Returns the verdict on an error of the server, or on the error of a run in a successful response. */
export function refuseRun(status: number, body: unknown, text: string): Verdict | undefined {
  const error = isObject(body) ? body['__error__'] : undefined;
  if (isObject(error)) return refuseRunError(error);
  return refuseResponse(status, body, text);
}

/** Returns the verdict on a run that failed: `error` is the name of an exception. */
export function refuseRunError(fields: Fields): Verdict {
  const { error, message } = fields;
  const named = readError({ type: error, message });
  return refuseError(named.message === '' ? (errorInEvent(fields, 'error') ?? named) : named);
}

/** Reports whether a state ends with a reply, which is not the previous one. */
export function endsWithReply(state: Fields, earlierId: string | undefined): boolean {
  const last = messagesIn(state, new Notes())?.at(-1);
  return last !== undefined && isOfModel(last) && (earlierId === undefined || last['id'] !== earlierId);
}

function messagesIn({ messages }: Fields, notes: Notes): readonly Fields[] | undefined {
  const list: readonly unknown[] = isObject(messages) ? [messages] : Array.isArray(messages) ? messages : [undefined];
  const read = list.map((message) => messageOf(message, notes));
  return read.every((message) => message !== undefined) ? read : undefined;
}

function repliesOfTurn(messages: readonly Fields[], earlierId: string | undefined): readonly Fields[] {
  const start = messages.findLastIndex(
    ({ type, id }) => type === 'human' || (earlierId !== undefined && id === earlierId),
  );
  return messages.slice(start + 1).filter(isOfModel);
}

function callsIn(calls: unknown): readonly ToolCall[] | undefined {
  if (calls === undefined || calls === null) return [];
  const read = Array.isArray(calls) ? calls.map(readCall) : [undefined];
  return read.every((call) => call !== undefined) ? read : undefined;
}

function readCall(call: unknown): ToolCall | undefined {
  if (!isObject(call)) return undefined;
  const { id, name, args } = call;
  const text = typeof args === 'string' ? args : shallowText(args ?? {});
  if (typeof name !== 'string' || text === undefined) return undefined;
  return { id: typeof id === 'string' ? id : '', name, arguments: text };
}

function replyOf(
  last: Fields,
  { text, toolCalls, turn }: { text: string; toolCalls: readonly ToolCall[]; turn: readonly Fields[] },
): Reply {
  const { id } = last;
  const model = isObject(last['response_metadata']) ? last['response_metadata']['model_name'] : undefined;
  return {
    text,
    id: typeof id === 'string' ? id : undefined,
    data: last,
    toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
    usage: usageOf(turn),
    model: typeof model === 'string' ? model : undefined,
  };
}

/** Adds the usage of all model calls of a turn, if any reports it. */
function usageOf(turn: readonly Fields[]): Usage | undefined {
  const reports = turn.map(({ usage_metadata: usage }) => usage).filter(isObject);
  if (reports.length === 0) return undefined;
  const sum = (read: (usage: Fields) => unknown): number | undefined => {
    const counts = reports.map((usage) => tokenCount(read(usage))).filter((count) => count !== undefined);
    return counts.length === 0 ? undefined : counts.reduce((total, count) => total + count, 0);
  };
  const detail = (list: string, name: string) => (usage: Fields) =>
    isObject(usage[list]) ? usage[list][name] : undefined;
  return {
    inputTokens: sum(({ input_tokens: input }) => input),
    outputTokens: sum(({ output_tokens: output }) => output),
    cachedInputTokens: sum(detail('input_token_details', 'cache_read')),
    cacheWriteTokens: sum(detail('input_token_details', 'cache_creation')),
    reasoningTokens: sum(detail('output_token_details', 'reasoning')),
  };
}
