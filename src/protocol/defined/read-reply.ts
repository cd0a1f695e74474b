import { judgeFinish } from '../model-api/read-reply.ts';
import type { HeaderFields, Reply, Usage, Verdict } from '../protocol.ts';
import { describeKind } from '../describe-found.ts';
import { isObject } from '../../base/is-object.ts';
import { tokenCount, usageForms, usageParts } from '../usage.ts';
import { AuthorError, callAuthor, finderOf, type Finder } from './author-error.ts';
import { itself } from './plain-text.ts';
import type { CalledTool, ValuePath, ReplyDefinition, UsagePaths } from './definition.ts';

/** Content of a reply, a description of missing content, or the verdict on a reply that states a failure as its end. */
export type ReadReply = { reply: Reply; sessionId: SessionId } | { broken: string } | { refusal: Verdict };

/** The session id of a reply; `undefined`: the definition names no place of one. */
export type SessionId = string | { missing: string } | undefined;

/** Returns the reader of non-streamed replies. Throws `AuthorError`. */
export function replyReader(definition: ReplyDefinition): (body: unknown) => ReadReply {
  const text = definition.text === undefined ? itself : finderOf('reply.text', definition.text);
  const id = definition.id === undefined ? undefined : idReader('reply.id', definition.id);
  const session = definition.sessionId === undefined ? undefined : idReader('reply.sessionId', definition.sessionId);
  const usage = usageReader('reply.usage', definition.usage);
  const model = modelReader('reply.model', definition.model);
  const tools = toolReader('reply.toolCalls', definition.toolCalls);
  const finish = definition.finish === undefined ? undefined : finderOf('reply.finish', definition.finish);
  return (body) => {
    const value = text.find(body);
    const toolCalls = tools(body);
    const isSilent = (value === undefined || value === null) && toolCalls !== undefined;
    if (typeof value !== 'string' && !isSilent) return { broken: `no text${text.describe(body, value)}` };
    const ids = { id: id?.(body), sessionId: session?.(body) };
    if (typeof ids.id === 'object') return { broken: `no id${ids.id.missing}` };
    const told = { toolCalls, usage: usage(body), model: model(body) };
    const reply = { text: typeof value === 'string' ? value : '', id: ids.id, data: body, ...told };
    const read = { reply, sessionId: ids.sessionId };
    return finish === undefined ? read : withFinish(read, finish.find(body));
  };
}

/** Adds the end of a reply, by its reason. */
export function withFinish(read: { reply: Reply; sessionId: SessionId }, reason: unknown): ReadReply {
  const judged = judgeFinish(reason, read.reply);
  return 'reply' in judged ? { ...read, reply: judged.reply } : judged;
}

/** Returns an id, or describes the value found instead. */
export type IdReader = (body: unknown, headers?: HeaderFields) => string | { missing: string };

/** Returns the reader of an id: a text that is not empty, or a number. */
export function idReader(name: string, path: ValuePath): IdReader {
  const finder = finderOf(name, path);
  return (body, headers) => {
    const found = finder.find(body, { headers });
    return idOf(found) ?? { missing: finder.describe(body, found) };
  };
}

/** Returns an id as text; lone surrogates cannot be sent in a URL. */
export function idOf(found: unknown): string | undefined {
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found !== '' && !/\p{Cs}/u.test(found) ? found : undefined;
}

/** Returns the reader of reported tokens; other values are ignored. */
export function usageReader(name: string, paths: UsagePaths | undefined): (body: unknown) => Usage | undefined {
  if (paths === undefined) return () => undefined;
  if (typeof paths === 'string') {
    const { field, read } = usageForms[paths];
    return (body) => (isObject(body) && isObject(body[field]) ? read(body[field]) : undefined);
  }
  const find: (body: unknown) => Found | undefined =
    typeof paths === 'function' ? (body) => callAuthor(name, () => paths(body)) : findTokens(name, paths);
  return (body) => {
    const found = find(body);
    const read: Usage = { inputTokens: undefined, outputTokens: undefined };
    for (const part of usageParts) read[part] = tokenCount(found?.[part]);
    return usageParts.every((part) => read[part] === undefined) ? undefined : read;
  };
}

type Found = Partial<Record<keyof Usage, unknown>>;

function findTokens(name: string, paths: Exclude<UsagePaths, string | ((...given: never) => unknown)>) {
  const finders = usageParts.flatMap((part) => {
    const path = paths[part];
    return path === undefined ? [] : [[part, finderOf(`${name}.${part}`, path)] as const];
  });
  return (body: unknown): Found => Object.fromEntries(finders.map(([part, finder]) => [part, finder.find(body)]));
}

/** Returns the reader of the model's name; `undefined`: the reply does not name it. */
export function modelReader(
  name: string,
  path: ReplyDefinition['model'],
): (...given: Parameters<Finder['find']>) => string | undefined {
  const finder = finderOf(name, path ?? 'model');
  return (...given) => {
    const found = finder.find(...given);
    return typeof found === 'string' && found !== '' ? found : undefined;
  };
}

/** Returns the reader of called tools; `undefined`: none. */
export function toolReader(
  name: string,
  read: ReplyDefinition['toolCalls'],
): (body: unknown) => readonly CalledTool[] | undefined {
  if (read === undefined) return () => undefined;
  return (body) => {
    const calls: unknown = callAuthor(name, () => read(body));
    if (calls === undefined || calls === null) return undefined;
    if (!Array.isArray(calls))
      throw new AuthorError(name, `returned a value that is ${describeKind(calls)}, not a list`);
    return calls.length === 0 ? undefined : calls.map((call) => checkCall(name, call));
  };
}

function checkCall(name: string, call: unknown): CalledTool {
  const { id, name: tool, arguments: given } = (call ?? {}) as Partial<Record<keyof CalledTool, unknown>>;
  if (typeof id === 'string' && typeof tool === 'string' && typeof given === 'string')
    return { id, name: tool, arguments: given };
  throw new AuthorError(name, 'returned a call without id, name and arguments as texts');
}
