import type { Reply } from '../protocol.ts';
import { describeKind } from '../describe-found.ts';
import type { ReplyDefinition } from './definition.ts';
import { finderOf } from './author-error.ts';
import { idReader, modelReader, toolReader, usageReader, withFinish, type ReadReply } from './read-reply.ts';

/** Returns the reader of replies that follow an acknowledgement. Throws `AuthorError`. */
export function laterReader(definition: ReplyDefinition): (replies: readonly unknown[], text: unknown) => ReadReply {
  const { id, sessionId, usage, model, toolCalls, finish } = definition;
  const readId = id === undefined ? undefined : over(id, idReader('reply.id', id), isText);
  const readSession =
    sessionId === undefined ? undefined : over(sessionId, idReader('reply.sessionId', sessionId), isText);
  const readUsage = over(usage, usageReader('reply.usage', usage), isKnown);
  const readModel = over(model, modelReader('reply.model', model), isKnown);
  const readTools = toolReader('reply.toolCalls', toolCalls);
  const reason = finish === undefined ? undefined : finderOf('reply.finish', finish);
  const readReason = reason && over(finish, (body) => reason.find(body), isStated);
  return (replies, text) => {
    const calls = readTools(replies);
    const isSilent = (text === undefined || text === null) && calls !== undefined;
    if (typeof text !== 'string' && !isSilent)
      return { broken: `no text: target.protocol.reply.then.poll.text returned ${describeResult(text)}` };
    const ids = { id: readId?.(replies), sessionId: readSession?.(replies) };
    if (typeof ids.id === 'object') return { broken: `no id${ids.id.missing}` };
    const reply: Reply = {
      text: typeof text === 'string' ? text : '',
      id: ids.id,
      data: replies.at(-1),
      toolCalls: calls,
      usage: readUsage(replies),
      model: readModel(replies),
    };
    const read = { reply, sessionId: ids.sessionId };
    return readReason === undefined ? read : withFinish(read, readReason(replies));
  };
}

/** Applies a reader to the latest reply that has the value; to all of them if the author wrote a function. */
function over<Found>(
  path: unknown,
  read: (body: unknown) => Found,
  isFound: (found: Found) => boolean,
): (replies: readonly unknown[]) => Found {
  if (typeof path === 'function') return read;
  return (replies) => replies.toReversed().map(read).find(isFound) ?? read(replies.at(-1));
}

const isText = (found: unknown): boolean => typeof found === 'string';
const isStated = (found: unknown): boolean => found !== undefined && found !== null;
const isKnown = (found: unknown): boolean => found !== undefined;

const describeResult = (value: unknown): string =>
  value === undefined ? 'nothing' : `a value that is ${describeKind(value)}`;
