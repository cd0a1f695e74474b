import { isObject } from '../../base/is-object.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { describeKind } from '../describe-found.ts';
import type { ChatRequest, HeaderFields, Route } from '../protocol.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import { bodyText, headersOf, type Ids } from './compose-message.ts';
import type { LaterParts, LaterPolls, PollRequest } from './definition.ts';
import { withFields, withoutField } from './header-fields.ts';
import { Routes, statusPath } from './poller.ts';

/** Returns the path and the header fields of a request that an author's function returned. Throws `AuthorError`. */
export function readRequest(
  name: string,
  made: unknown,
  { parts, usual, baseUrl }: { parts: Ids; usual: HeaderFields; baseUrl: string | null },
): { method: string; path: string; headers: HeaderFields; body: string } {
  const { method = 'GET', path, query, headers = {}, body } = checked(name, made);
  const typed = body === undefined ? withoutField(usual, 'content-type') : withFields(usual, jsonType);
  const fields = withFields(typed, headersOf(`${name}.headers`, headers, parts, ['authorization']));
  const text = body === undefined ? '' : bodyText(`${name}.body`, body);
  return { method, path: pathOf(name, path, query, baseUrl), headers: fields, body: text };
}

/** Composes a poll from the replies so far; `usual` are the header fields of the message. Throws `AuthorError`. */
export type ComposePoll = (replies: readonly unknown[], parts: LaterParts, usual: HeaderFields) => ChatRequest;

const pollName = 'reply.then.poll.request';
const keys = ['method', 'path', 'query', 'headers', 'body'];

export function pollComposer(
  { request }: Pick<LaterPolls, 'request'>,
  baseUrl: string | null,
  wantedHeaders: Route['wantedHeaders'],
): ComposePoll {
  const routes = new Map<string, Routes>();
  const routesBy = (method: string): Routes => {
    const known = routes.get(method) ?? new Routes({ operation: 'message', method, wantedHeaders });
    routes.set(method, known);
    return known;
  };
  return (replies, parts, usual) => {
    const made = callAuthor(pollName, () => request(replies, parts));
    const { method, path, headers, body } = readRequest(pollName, made, { parts, usual, baseUrl });
    return { route: routesBy(method).to(path, headers, undefined), body };
  };
}

const jsonType: HeaderFields = { 'Content-Type': 'application/json' };

function checked(name: string, made: unknown): PollRequest {
  if (!isObject(made) || !isPath(made['path']))
    throw new AuthorError(
      name,
      `returned a value that is ${isObject(made) ? 'without a path' : describeKind(made)}: return a request such as { path: ['runs', id] }`,
    );
  const unknown = Object.keys(made).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new AuthorError(name, `returned a request with an ${unknownName('key', unknown, keys)}`);
  const { method } = made;
  if (method !== undefined && (typeof method !== 'string' || !/^[A-Z]+$/.test(method)))
    throw new AuthorError(name, "returned a method that is not in capitals, such as 'POST'");
  return made as unknown as PollRequest;
}

const isPath = (path: unknown): boolean => typeof path === 'string' || Array.isArray(path);

/** Returns the path of a request below the base URL, with its query. */
function pathOf(name: string, path: PollRequest['path'], query: PollRequest['query'], baseUrl: string | null): string {
  const below =
    typeof path === 'string'
      ? statusPath(baseUrl, path)
      : `/${path.map((segment) => segmentOf(name, segment)).join('/')}`;
  if (below === undefined)
    throw new AuthorError(
      name,
      'returned a URL that is not below the base URL, where the key may not be sent: return a path below it, or correct --base-url',
    );
  const pairs = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [`${encoded(name, key)}=${encoded(name, String(value))}`],
  );
  return pairs.length === 0 ? below : `${below}${below.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** Encodes a segment. Dots alone would lead to another path. */
function segmentOf(name: string, segment: unknown): string {
  const text = typeof segment === 'number' ? String(segment) : segment;
  if (typeof text === 'string' && !/^\.{0,2}$/.test(text)) return encoded(name, text);
  const kind = typeof text === 'string' && text !== '' ? `'${text}'` : describeKind(text);
  throw new AuthorError(name, `returned a path with a segment that is ${kind}: return texts or numbers`);
}

function encoded(name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new AuthorError(name, 'returned a path or a query with half a character, which a URL cannot contain');
  }
}
