import type { HeaderFields, Reply, Usage } from '../protocol.ts';
import { wordKind } from '../word-what-is-there.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import type { CalledTool, Place, ReplyDefinition, UsagePlaces } from './definition.ts';
import { finderOf } from './find.ts';

/** What a reply holds, or the words for what it lacks. */
export type ReadReply = { reply: Reply; sessionId: string | undefined } | { broken: string };

/** Reads whole replies. Throws `AuthorError`. */
export function replyReader(definition: ReplyDefinition): (body: unknown) => ReadReply {
  const text = finderOf('reply.text', definition.text);
  const id = definition.id === undefined ? undefined : idReader('reply.id', definition.id);
  const session = definition.sessionId === undefined ? undefined : idReader('reply.sessionId', definition.sessionId);
  const usage = usageReader('reply.usage', definition.usage);
  const tools = toolReader('reply.toolCalls', definition.toolCalls);
  return (body) => {
    const said = text.find(body);
    const toolCalls = tools(body);
    const isSilent = (said === undefined || said === null) && toolCalls !== undefined;
    if (typeof said !== 'string' && !isSilent) return { broken: `no text${text.word(body, said)}` };
    const ids = { id: id?.(body), sessionId: session?.(body) };
    if (typeof ids.id === 'object') return { broken: `no id${ids.id.missing}` };
    if (typeof ids.sessionId === 'object') return { broken: `no session id${ids.sessionId.missing}` };
    const reply = { text: typeof said === 'string' ? said : '', id: ids.id, data: body, toolCalls, usage: usage(body) };
    return { reply, sessionId: ids.sessionId };
  };
}

/** An id, or the words for what is there instead. */
export type IdReader = (body: unknown, headers?: HeaderFields) => string | { missing: string };

/** Reads an id: a text that is not empty, or a number. */
export function idReader(name: string, place: Place): IdReader {
  const finder = finderOf(name, place);
  return (body, headers) => {
    const found = finder.find(body, { headers });
    return idOf(found) ?? { missing: finder.word(body, found) };
  };
}

/** An id as text; lone surrogates have no place in a URL. */
export function idOf(found: unknown): string | undefined {
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found !== '' && !/\p{Cs}/u.test(found) ? found : undefined;
}

/** Reads tokens, where they are told; what is no number of tokens is not told. */
export function usageReader(name: string, places: UsagePlaces | undefined): (body: unknown) => Usage | undefined {
  if (places === undefined) return () => undefined;
  const find =
    typeof places === 'function' ? (body: unknown) => callAuthor(name, () => places(body)) : findTokens(name, places);
  return (body) => {
    const found = find(body);
    const told = { inputTokens: tokensOf(found?.inputTokens), outputTokens: tokensOf(found?.outputTokens) };
    return told.inputTokens === undefined && told.outputTokens === undefined ? undefined : told;
  };
}

function findTokens(name: string, { inputTokens, outputTokens }: Exclude<UsagePlaces, (...given: never) => unknown>) {
  const input = inputTokens === undefined ? undefined : finderOf(`${name}.inputTokens`, inputTokens);
  const output = outputTokens === undefined ? undefined : finderOf(`${name}.outputTokens`, outputTokens);
  return (body: unknown) => ({ inputTokens: input?.find(body), outputTokens: output?.find(body) });
}

const tokensOf = (found: unknown): number | undefined =>
  typeof found === 'number' && Number.isInteger(found) && found >= 0 ? found : undefined;

/** Reads the tools that are called; `undefined`: none. */
export function toolReader(
  name: string,
  read: ReplyDefinition['toolCalls'],
): (body: unknown) => readonly CalledTool[] | undefined {
  if (read === undefined) return () => undefined;
  return (body) => {
    const calls: unknown = callAuthor(name, () => read(body));
    if (calls === undefined || calls === null) return undefined;
    if (!Array.isArray(calls)) throw new AuthorError(name, `gave what is ${wordKind(calls)}, not a list`);
    return calls.length === 0 ? undefined : calls.map((call) => checkCall(name, call));
  };
}

function checkCall(name: string, call: unknown): CalledTool {
  const { id, name: tool, arguments: given } = (call ?? {}) as Partial<Record<keyof CalledTool, unknown>>;
  if (typeof id === 'string' && typeof tool === 'string' && typeof given === 'string')
    return { id, name: tool, arguments: given };
  throw new AuthorError(name, 'gave a call without id, name and arguments as texts');
}
