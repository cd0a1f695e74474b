import {
  findConversation,
  findCreatedId,
  findMessage,
  findReply,
  findSentSession,
  findSession,
  leavesOf,
  valueIn,
  withValue,
  type JsonPath,
} from './find-places.ts';
import { placeholder, type GivenApi, type GivenRequest, type SeenEvent, type SeenReply } from './given-api.ts';
import type { Moved } from './environment-references.ts';
import { Code, literal } from './literal.ts';
import type { SessionPlaces } from './session-places.ts';
import { groupBy } from '../../base/group-by.ts';
import { usageError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';

/** A definition of a custom API, and how its places were chosen. */
export interface OwnApi {
  /** The call of `defineProtocol`. */
  readonly text: string;
  readonly baseUrl: string;
  readonly stream: boolean;
  /** Place of each part, as words. */
  readonly chosen: readonly (readonly [part: string, place: string])[];
  readonly message: string | undefined;
  /** True if places of replies are assumed, until a reply was seen. */
  readonly isAssumed: boolean;
  /** True if the client chooses the ids of sessions. */
  readonly choosesIds: boolean;
}

/** Defines a custom API by its requests without secrets. Throws a usage error if a request contains no message. */
export function ownApi(
  api: GivenApi,
  { query, isKeyInside }: Pick<Moved, 'query' | 'isKeyInside'>,
  places: SessionPlaces,
): OwnApi {
  const { message, creation, reply, created, cookies } = api;
  const place = findMessage(message.body);
  if (place === undefined)
    throw usageError(
      'The body has no field that looks like the message of a user.',
      'Nothing was written. Use a request that sends a message such as "Hello, where is my order?", or complete the definition that chat-load init --protocol own writes.',
    );
  const list = findConversation(message.body);
  const sent = valueIn(message.body, place);
  const session = places.body ?? findSentSession(message.body);
  // Without an id in the request, the reply may contain one that continues the conversation.
  const startsByMessage = list === undefined && creation === undefined;
  const replies =
    reply === undefined
      ? undefined
      : replyPlaces(reply, { sent, hasSession: session !== undefined || startsByMessage });
  const createdAt = findCreatedId(created);
  const path = pathsOf(message, creation, places);
  const isReturned = creation !== undefined || replies?.session !== undefined;
  const continued = session === undefined ? replies?.session?.at(-1) : undefined;
  const given = valueIn(message.body, session);
  // The service replaces an empty id, and null if its reply contains an id.
  const choosesIds = session !== undefined && creation === undefined && given !== '' && !(isReturned && given === null);
  const idCode = new Code(
    [
      ...(isReturned || !choosesIds ? ['sessionId'] : []),
      ...(choosesIds ? ['variables.conversationId'] : creation === undefined && given !== '' ? ['null'] : []),
    ].join(' || '),
  );
  const withSession =
    session !== undefined
      ? withValue(message.body, session, idCode)
      : continued === undefined
        ? message.body
        : { ...message.body, [continued]: new Code('sessionId || undefined') };
  const body =
    list === undefined
      ? withValue(withSession, place, new Code('message'))
      : withConversation(withSession, list, place);
  const codes = leavesOf(body)
    .map(({ value }) => (value instanceof Code ? value.text : ''))
    .join(' ');
  const names = ['message', 'messages', 'sessionId', 'variables'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(codes),
  );
  const target = path.message + (path.query === '' ? query : `${query === '' ? '?' : `${query}&`}${path.query}`);
  const isCookie = cookies === true && created !== undefined && createdAt === undefined;
  const createdId = dotted(createdAt ?? unseen);
  const sessions = [
    continued === undefined ? '' : `${inBody([continued])}, assumed: the reply has such an id`,
    session === undefined
      ? ''
      : `${inBody(session)}${choosesIds ? ', a new id per session (if the service creates ids, set it to null in the command)' : ''}`,
    creation === undefined
      ? ''
      : `created by ${creation.method} ${path.creation}, ${isCookie ? 'known by its cookies' : `id at ${createdId}`}; ${sentAt(places, session) || 'no request names it'}`,
  ].filter((words) => words !== '');
  const fields = {
    name: 'own-api',
    ...(list !== undefined && { history: 'client' }),
    ...(cookies === true && { cookies }),
    ...(isKeyInside && { authorize: new Code('() => ({})') }),
    ...(creation !== undefined && {
      createSession: {
        ...methodOf(creation),
        path: path.creation,
        body: creation.body,
        ...(!isCookie && { sessionId: createdId }),
      },
    }),
    message: {
      ...methodOf(message),
      path: target.includes('${') ? new Code(`\`${target}\``) : target,
      ...(places.header !== undefined && { headers: { [places.header]: '{{sessionId}}' } }),
      body: new Code(`({ ${names.join(', ')} }) => (${literal(body, '    ')})`),
    },
    ...(replies?.fields ?? { reply: { text: dotted(unseen) } }),
  };
  return {
    text: `/** Requests and replies of your API. docs/reference/protocols.md of the chat-load package explains every field. */\nconst ownApi = defineProtocol(${literal(fields)});\n`,
    baseUrl: path.baseUrl,
    stream: reply !== undefined && 'events' in reply,
    chosen: [
      ['message', list === undefined ? inBody(place) : `${inBody(list)}, the whole conversation in every request`],
      ...sessions.map((words) => ['session', words] as const),
      ['reply', replies?.words ?? `not found: replace ${dotted(unseen)} by its path`],
    ],
    message: typeof sent === 'string' && sent !== placeholder ? sent : undefined,
    isAssumed: replies === undefined || (creation !== undefined && createdAt === undefined && !isCookie),
    choosesIds,
  };
}

/** Path of a value that no reply has shown: no reply has it, so that the first one ends the conversation. */
const unseen: JsonPath = ['path', 'to', 'value'];

/** Describes where a message names the session that was created. */
const sentAt = ({ segment, header, query }: SessionPlaces, body: JsonPath | undefined): string =>
  [
    ...(segment === undefined ? [] : ['in the path']),
    ...(header === undefined ? [] : [`in the header ${header}`]),
    ...(query === undefined ? [] : [`in the query as ${query}`]),
    ...(body === undefined ? [] : [`in ${inBody(body)}`]),
  ].join(', ');

const methodOf = ({ method }: GivenRequest): { method?: string } => (method === 'POST' ? {} : { method });

/** Replaces the list of messages by the conversation, in the form of its last message. */
function withConversation(body: unknown, list: JsonPath, place: JsonPath): unknown {
  const items = valueIn(body, list);
  const all = Array.isArray(items) ? (items as unknown[]) : [];
  const last = all.at(-1);
  const below = place.slice(list.length + 1);
  const shape = withValue(withValue(last, below, new Code('content')), ['role'], new Code('role'));
  const isPlain = isObject(last) && Object.keys(last).sort().join() === 'content,role' && below.length === 1;
  const turns = isPlain ? 'messages' : `messages.map(({ role, content }) => (${literal(shape, '    ')}))`;
  const before = all.filter((item) => isObject(item) && /^(?:system|developer)$/.test(String(item['role'])));
  return withValue(body, list, before.length === 0 ? new Code(turns) : [...before, new Code(`...${turns}`)]);
}

/** Splits the URLs into a base URL and paths; the id of a created session becomes a placeholder. */
function pathsOf({ url }: GivenRequest, creation: GivenRequest | undefined, { segment, query }: SessionPlaces) {
  const parts = url.pathname.split('/');
  if (segment !== undefined) parts[segment + 1] = '{{sessionId}}';
  const fields = query === undefined ? '' : `${encodeURIComponent(query)}={{sessionId}}`;
  return { baseUrl: url.origin, message: parts.join('/'), query: fields, creation: creation?.url.pathname ?? '' };
}

interface ReplyPlaces {
  fields: Readonly<Record<string, unknown>>;
  words: string;
  /** Place of the session's id. */
  session: JsonPath | undefined;
}

/** Returns the places in a reply; `undefined` if it has no text. */
function replyPlaces(
  seen: SeenReply,
  { sent, hasSession }: { sent: unknown; hasSession: boolean },
): ReplyPlaces | undefined {
  const isStream = 'events' in seen;
  const jsons = isStream ? seen.events.map(({ json }) => json) : [seen.json];
  const filter = 'isExample' in seen ? undefined : sent;
  const places = jsons.map((json) => findReply(json, filter)).filter((path) => path !== undefined);
  // The place that occurs most often in a stream is that of the answer.
  const [text] = [...groupBy(places, dotted).values()].toSorted((one, other) => other.length - one.length)[0] ?? [];
  if (text === undefined) return undefined;
  const session = hasSession ? jsons.map(findSession).find((path) => path !== undefined) : undefined;
  const fields = {
    ...(isStream && { format: seen.format }),
    text: pathCode(text),
    ...(session !== undefined && { sessionId: dotted(session) }),
    ...(isStream && { end: endOf(seen.events) }),
  };
  const words = `${dotted(text) || 'the JSON itself'}${isStream ? ' of the events' : ''}`;
  return { fields: { [isStream ? 'stream' : 'reply']: fields }, words, session };
}

/** Returns how the last event of a stream differs from the others. */
function endOf(events: readonly SeenEvent[]): unknown {
  const last = events.at(-1);
  const others = events.slice(0, -1);
  if (last === undefined || last.data.trim() === '[DONE]') return '[DONE]';
  if (others.every(({ type }) => type !== last.type)) return { event: last.type };
  const fields = leavesOf(last.json).filter(({ path, value }) =>
    others.every(({ json }) => valueIn(json, path) !== value),
  );
  const flag = fields.find(({ value }) => value === true);
  if (flag !== undefined) return dotted(flag.path);
  const kind = fields.find(({ path, value }) => path.length === 1 && typeof value === 'string');
  if (kind === undefined) return '[DONE]';
  return new Code(`(event: Record<string, unknown>) => event[${literal(kind.path[0])}] === ${literal(kind.value)}`);
}

const dotted = (path: JsonPath): string => path.join('.');
const inBody = (path: JsonPath): string => `body.${dotted(path)}`;

/** Returns a dotted path, or a function if the text is the whole JSON, or in the last item of a list. */
function pathCode(path: JsonPath): string | Code {
  if (path.length === 0) return new Code("(json: unknown) => (typeof json === 'string' ? json : undefined)");
  const at = path.findLastIndex((key) => typeof key === 'number' && key > 0);
  if (at === -1) return dotted(path);
  const keys = (part: JsonPath): string => part.map((key) => `?.[${literal(key)}]`).join('');
  const type = path.reduceRight<string>(
    (item, key) => (typeof key === 'number' ? `(${item})[]` : `{ ${literal(key)}?: ${item} }`),
    'string',
  );
  return new Code(`(body: ${type}) => body${keys(path.slice(0, at))}?.at(-1)${keys(path.slice(at + 1))}`);
}
