import { isObject } from '../../base/is-object.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { describeKind } from '../describe-found.ts';
import type { ChatRequest, HeaderFields, Route } from '../protocol.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import { bodyText, headersOf, type Ids } from './compose-message.ts';
import type { LaterParts, LaterPolls, PollRequest } from './definition.ts';
import { withFields, withoutCredentials, withoutField } from './header-fields.ts';
import { Routes } from './poller.ts';
import { destinationOf, type Destination, type Reach } from './destination.ts';

/** Context of a request that an author's function returned. */
interface Around {
  readonly parts: Ids;
  /** Fields that the request has besides its own. Those of credentials only go to the target. */
  readonly usual: HeaderFields;
  readonly reach: Reach;
}

/** Returns the destination and the header fields of a request that an author's function returned. Throws `AuthorError`. */
export function readRequest(
  name: string,
  made: unknown,
  { parts, usual, reach }: Around,
): Omit<Destination, 'isForeign'> & { method: string; headers: HeaderFields; body: string } {
  const { method = 'GET', path, query, headers = {}, body } = checked(name, made);
  const { isForeign, ...to } = destinationFor(name, { path, query }, reach);
  const sent = isForeign ? withoutCredentials(usual) : usual;
  const typed = body === undefined ? withoutField(sent, 'content-type') : withFields(sent, jsonType);
  const fields = withFields(typed, headersOf(`${name}.headers`, headers, parts, ['authorization']));
  const text = body === undefined ? '' : bodyText(`${name}.body`, body);
  return { method, ...to, headers: fields, body: text };
}

/** Composes a poll from the replies so far; `usual` are the header fields of the message. Throws `AuthorError`. */
export type ComposePoll = (replies: readonly unknown[], parts: LaterParts, usual: HeaderFields) => ChatRequest;

const pollName = 'reply.then.poll.request';
const keys = ['method', 'path', 'query', 'headers', 'body'];

export function pollComposer(
  { request }: Pick<LaterPolls, 'request'>,
  reach: Reach,
  wantedHeaders: Route['wantedHeaders'],
): ComposePoll {
  const routes = new Map<string, Routes>();
  const routesBy = (method: string, origin: string | undefined): Routes => {
    const key = `${method} ${origin ?? ''}`;
    const known = routes.get(key) ?? new Routes({ operation: 'message', method, origin, wantedHeaders });
    routes.set(key, known);
    return known;
  };
  return (replies, parts, usual) => {
    const made = callAuthor(pollName, () => request(replies, parts));
    const { method, path, origin, headers, body } = readRequest(pollName, made, { parts, usual, reach });
    return { route: routesBy(method, origin).to(path, headers, undefined), body };
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

/** Returns the destination of a request, with its query. */
function destinationFor(name: string, { path, query }: Pick<PollRequest, 'path' | 'query'>, reach: Reach): Destination {
  const given = typeof path === 'string' ? path : `/${path.map((segment) => segmentOf(name, segment)).join('/')}`;
  const to =
    typeof path === 'string' ? destinationOf(given, reach) : { path: given, origin: undefined, isForeign: false };
  if ('refused' in to) throw new AuthorError(name, to.refused);
  const pairs = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [`${encoded(name, key)}=${encoded(name, String(value))}`],
  );
  if (pairs.length === 0) return to;
  return { ...to, path: `${to.path}${to.path.includes('?') ? '&' : '?'}${pairs.join('&')}` };
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
