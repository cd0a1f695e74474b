import {
  findConversation,
  findCreatedId,
  findMessage,
  findReply,
  findSession,
  isSessionName,
  leavesOf,
  valueIn,
  withValue,
  type JsonPath,
} from './find-places.ts';
import type { GivenApi, GivenRequest, SeenReply } from './given-api.ts';
import { Code, literal, textLiteral } from './literal.ts';
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
  /** True if the client chooses the ids of sessions. */
  readonly choosesIds: boolean;
}

interface Moving {
  /** Body of the message, with references in place of secrets. */
  body: Readonly<Record<string, unknown>>;
  query: Code;
  isKeyInside: boolean;
}

/** Defines a custom API by its requests. Throws a usage error if a request contains no message. */
export function ownApi(api: GivenApi, { body, query, isKeyInside }: Moving): OwnApi {
  const { message, creation, reply, created } = api;
  const place = findMessage(message.body);
  if (place === undefined)
    throw usageError(
      'The body has no field that looks like the message of a user.',
      'Nothing was written. Use a request that sends a message such as "Hello, where is my order?", or complete the definition that chat-load init --protocol own writes.',
    );
  const list = findConversation(message.body);
  const sent = valueIn(message.body, place);
  const session = findSession(message.body);
  const replies = reply === undefined ? undefined : replyPlaces(reply, typeof sent === 'string' ? sent : undefined);
  const createdAt = findCreatedId(created);
  const choosesIds =
    session !== undefined &&
    creation === undefined &&
    (valueIn(message.body, session) !== null || replies?.session === undefined);
  const own = choosesIds
    ? new Code('sessionId || variables.conversationId')
    : new Code(creation === undefined ? 'sessionId || null' : 'sessionId');
  const withSession = session === undefined ? body : withValue(body, session, own);
  const filled =
    list === undefined
      ? withValue(withSession, place, new Code('message'))
      : withConversation(withSession, list, place);
  const path = pathsOf(message, creation);
  const names = ['message', 'messages', 'sessionId', 'variables'].filter((name) =>
    new RegExp(`\\b${name}\\b(?!:)`).test(codesIn(filled)),
  );
  const fields = {
    name: new Code("'own-api'"),
    ...(list !== undefined && { history: 'client' }),
    ...(isKeyInside && { authorize: new Code('() => ({})') }),
    ...(creation !== undefined && {
      createSession: {
        ...(creation.method !== 'POST' && { method: creation.method }),
        path: path.creation,
        ...(Object.keys(creation.body).length > 0 && { body: creation.body }),
        sessionId: createdAt === undefined ? 'id' : dotted(createdAt),
      },
    }),
    message: {
      ...(message.method !== 'POST' && { method: message.method }),
      path: query.text === '' ? path.message : queried(path.message, query),
      body: new Code(`({ ${names.join(', ')} }) => (${literal(filled, '    ')})`),
    },
    ...(replies?.fields ?? { reply: { text: 'reply' } }),
  };
  return {
    text: `/** Requests and replies of your API. docs/reference/protocols.md of the chat-load package explains every field. */\nconst ownApi = defineProtocol(${literal(fields)});\n`,
    baseUrl: path.baseUrl,
    stream: reply !== undefined && 'events' in reply,
    chosen: [
      [
        'message',
        list === undefined
          ? `body.${place.join('.')}`
          : `body.${list.join('.')}, the whole conversation in every request`,
      ],
      ...(session === undefined
        ? []
        : [['session', `body.${session.join('.')}${choosesIds ? ', a new id per session' : ''}`] as const]),
      ...(creation === undefined
        ? []
        : [
            [
              'session',
              `created by ${creation.method} ${path.creation}, ${createdAt === undefined ? 'id assumed at' : 'id at'} ${createdAt?.join('.') ?? 'id'}`,
            ] as const,
          ]),
      ['reply', replies?.words ?? 'not seen yet: assumed at reply'],
    ],
    message: typeof sent === 'string' ? sent : undefined,
    choosesIds,
  };
}

/** Replaces the list of messages by the conversation, in the form of its last message. */
function withConversation(body: unknown, list: JsonPath, place: JsonPath): unknown {
  const items = valueIn(body, list);
  const last = Array.isArray(items) ? (items.at(-1) as unknown) : undefined;
  const below = place.slice(list.length + 1);
  const shape = withValue(withValue(last, below, new Code('content')), ['role'], new Code('role'));
  const isPlain = isObject(last) && Object.keys(last).sort().join() === 'content,role' && below.length === 1;
  const turns = new Code(isPlain ? 'messages' : `messages.map(({ role, content }) => (${literal(shape, '    ')}))`);
  const before = (Array.isArray(items) ? items : []).filter(
    (item) => isObject(item) && /^(?:system|developer)$/.test(String(item['role'])),
  );
  return withValue(body, list, before.length === 0 ? turns : [...before, new Code(`...${turns.text}`)]);
}

const codesIn = (value: unknown): string =>
  value instanceof Code
    ? value.text
    : Object.values(isObject(value) || Array.isArray(value) ? value : {})
        .map(codesIn)
        .join(' ');

const queried = (path: string, query: Code): unknown =>
  query.text.includes('${') ? new Code(`\`${path}${query.text}\``) : path + query.text;

/** Splits the URLs into a base URL and paths; the id of a created session in a path is a placeholder. */
function pathsOf({ url }: GivenRequest, creation: GivenRequest | undefined) {
  const segments = url.pathname.split('/');
  const own = creation?.url.pathname.split('/') ?? [];
  const at =
    own.length > 1 && own.every((each, index) => each === segments[index]) && segments.length > own.length
      ? own.length
      : -1;
  const message = segments
    .map((segment, index) => (index === at || isPlaceholder(segment) ? '{{sessionId}}' : segment))
    .join('/');
  return { baseUrl: url.origin, message, creation: creation?.url.pathname ?? '' };
}

const isPlaceholder = (segment: string): boolean =>
  isSessionName(/^(?:\{|%7B)(.*?)(?:\}|%7D)$/i.exec(segment)?.[1] ?? '');

interface ReplyPlaces {
  fields: Readonly<Record<string, unknown>>;
  words: string;
  session: JsonPath | undefined;
}

/** Returns the places in a reply; `undefined` if it has no text. */
function replyPlaces(seen: SeenReply, sent: string | undefined): ReplyPlaces | undefined {
  if ('events' in seen) return streamPlaces(seen);
  const text = findReply(seen.json, sent);
  if (text === undefined) return undefined;
  const session = findSession(seen.json);
  const fields = { text: pathCode(text), ...(session !== undefined && { sessionId: dotted(session) }) };
  return { fields: { reply: fields }, words: text.join('.') || 'the JSON itself', session };
}

function streamPlaces({ format, events }: Extract<SeenReply, { events: unknown }>): ReplyPlaces | undefined {
  const told = events.filter(({ json }) => findReply(json) !== undefined);
  const [first] = told.length > 1 ? told.filter(({ json }) => leavesOf(json).length > 0) : told;
  const last = events.at(-1);
  const text = first === undefined ? undefined : findReply(mostFrequent(told.map(({ json }) => json)));
  if (first === undefined || text === undefined || last === undefined) return undefined;
  const session = events.map(({ json }) => findSession(json)).find((path) => path !== undefined);
  const fields = {
    format,
    text:
      text.length === 0
        ? new Code("(event: unknown) => (typeof event === 'string' ? event : undefined)")
        : dotted(text),
    ...(session !== undefined && { sessionId: dotted(session) }),
    end: endOf(last, told),
  };
  return { fields: { stream: fields }, words: `${text.join('.') || 'the data'} of the events`, session };
}

/** Returns the event whose fields occur most often: the text of a stream is in most of its events. */
function mostFrequent(jsons: readonly unknown[]): unknown {
  const shape = (json: unknown): string => findReply(json)?.join('.') ?? '';
  const counts = new Map<string, number>();
  for (const json of jsons) counts.set(shape(json), (counts.get(shape(json)) ?? 0) + 1);
  return jsons.toSorted((one, other) => (counts.get(shape(other)) ?? 0) - (counts.get(shape(one)) ?? 0))[0];
}

function endOf(
  last: { type: string; json: unknown; data: string },
  told: readonly { type: string; json: unknown }[],
): unknown {
  if (last.data.trim() === '[DONE]') return '[DONE]';
  if (last.type !== '' && told.every(({ type }) => type !== last.type)) return { event: last.type };
  const fields = Object.entries(isObject(last.json) ? last.json : {});
  const [flag] = fields.filter(([, value]) => value === true);
  if (flag !== undefined) return flag[0];
  const [kind] = fields.filter(
    ([key, value]) => typeof value === 'string' && told.every(({ json }) => valueIn(json, [key]) !== value),
  );
  if (kind === undefined) return '[DONE]';
  return new Code(`(event: Record<string, unknown>) => event[${textLiteral(kind[0])}] === ${literal(kind[1])}`);
}

const dotted = (path: JsonPath): string => path.join('.');

/** Returns a dotted path, or a function if the text is in the last item of a list. */
function pathCode(path: JsonPath): string | Code {
  const at = path.findLastIndex((key) => typeof key === 'number' && key > 0);
  if (path.length === 0) return new Code('(body: string) => body');
  if (at === -1) return dotted(path);
  const before = path
    .slice(0, at)
    .map((key) => `?.[${literal(key)}]`)
    .join('');
  const after = path
    .slice(at + 1)
    .map((key) => `?.[${literal(key)}]`)
    .join('');
  return new Code(`(body: any) => body${before}?.at(-1)${after}`);
}
