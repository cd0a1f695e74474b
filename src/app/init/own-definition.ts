import {
  findConversation,
  findCreatedId,
  findMessage,
  findNamedSession,
  leavesOf,
  valueIn,
  withValue,
  type JsonPath,
} from './find-places.ts';
import { placeholder, type GivenApi, type GivenRequest } from './given-api.ts';
import { isIdName, isUuid } from './id-names.ts';
import type { Moved } from './environment-references.ts';
import { Code, literal } from './literal.ts';
import { dotted, replyPlaces } from './reply-places.ts';
import { chosenId, placeIn, sameValues, sentIds, withIds, type SentIds } from './sent-ids.ts';
import { decoded, idAndVerb, type SessionPlaces } from './session-places.ts';
import { usageError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';

/** A definition of a custom API, and how its places were chosen. */
export interface OwnApi {
  /** The call of `defineProtocol`. */
  readonly text: string;
  readonly baseUrl: string;
  /** Agent or model, if the definition names it. */
  readonly agentId?: string | undefined;
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
  { query, creationQuery, isKeyInside }: Pick<Moved, 'query' | 'creationQuery' | 'isKeyInside'>,
  places: SessionPlaces,
): OwnApi {
  const { message, creation, reply, created, cookies } = api;
  const place = findMessage(message.body);
  if (place === undefined)
    throw usageError(
      `The ${message.fields ?? 'body'} has no field that looks like the message of a user.`,
      'Nothing was written. Use a request that sends a message such as "Hello, where is my order?", or complete the definition that chat-load init --protocol own writes.',
    );
  const list = findConversation(message.body);
  const sent = valueIn(message.body, place);
  const named = places.body ?? findNamedSession(message.body);
  // Without an id in the request, the reply may contain one that continues the conversation.
  const startsByMessage = list === undefined && creation === undefined;
  const replies =
    reply === undefined ? undefined : replyPlaces(reply, { sent, hasSession: named !== undefined || startsByMessage });
  const { ownId } = places;
  const createdAt = ownId === undefined ? findCreatedId(created) : undefined;
  const path = pathsOf(message, creation, places);
  const ids = sentIds(api, places, replies?.session);
  const { session, choosesIds } = ids;
  const withSession = withIds(message, ids);
  const withMessage =
    list === undefined
      ? withValue(withSession, place, new Code('message'))
      : withConversation(withSession, list, place);
  const body = list === undefined ? withNewIds(withMessage, place) : withMessage;
  const codes = leavesOf(body)
    .map(({ value }) => (value instanceof Code ? value.text : ''))
    .join(' ');
  const names = ['message', 'messages', 'sessionId', 'variables'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(codes),
  );
  const parameters = [
    ...(path.query === '' ? [] : [path.query]),
    ...(places.chosen?.query ?? []).map((name) => `${encodeURIComponent(name)}=\${${chosenId}}`),
  ].join('&');
  const plain = path.message + (parameters === '' ? query : `${query === '' ? '?' : `${query}&`}${parameters}`);
  const written = literal(body, '    ');
  const target =
    message.fields === 'query'
      ? `${plain}${plain.includes('?') ? '&' : '?'}\${new URLSearchParams(${written})}`
      : plain;
  const isCookie = cookies === true && created !== undefined && createdAt === undefined && ownId === undefined;
  const createdId = dotted(createdAt ?? unseen);
  const sessions = [
    ...sessionWords(message, ids, places),
    creation === undefined
      ? ''
      : `created by ${creation.method} ${path.creation}, ${ownId !== undefined ? 'with a new id per session' : isCookie ? 'known by its cookies' : `id at ${createdId}`}; ${sentAt(message, places, session) || 'no request names it'}`,
  ].filter((words) => words !== '');
  const persons = ids.sharedUsers.map(
    (at) =>
      `${placeIn(message, at)} is one person in all sessions, because another part of the requests has the id too`,
  );
  const isShared = sessions.length === 0 && list === undefined && cookies !== true;
  const fields = {
    name: 'own-api',
    ...(list !== undefined && { history: 'client' }),
    ...(ownId !== undefined && { sessionId: '{{uuid}}' }),
    ...(cookies === true && { cookies }),
    ...(isKeyInside && { authorize: new Code('() => ({})') }),
    ...(creation !== undefined && {
      createSession: {
        ...methodOf(creation),
        path: creationPath(creation, creationQuery, ownId),
        body: creationBody(creation, ownId),
        ...(!isCookie && ownId === undefined && { sessionId: createdId }),
      },
    }),
    message: {
      ...methodOf(message),
      path: pathCode(target, names),
      ...headersOf(places, message.fields),
      ...(message.fields !== 'query' && {
        body: new Code(`({ ${names.join(', ')} }) => ${bodyCode(written, message.fields)}`),
      }),
    },
    ...(replies?.fields ?? { reply: { text: dotted(unseen) } }),
  };
  return {
    text: `/** Requests and replies of your API. docs/reference/protocols.md of the chat-load package explains every field. */\nconst ownApi = defineProtocol(${literal(fields)});\n`,
    baseUrl: path.baseUrl,
    stream: replies !== undefined && reply !== undefined && 'events' in reply,
    chosen: [
      [
        'message',
        list === undefined
          ? placeIn(message, place)
          : `${placeIn(message, list)}, the whole conversation in every request`,
      ],
      ...[...sessions, ...(isShared ? [noSession(api)] : []), ...persons].map((words) => ['session', words] as const),
      ['reply', replies?.words ?? unseenWords(api)],
    ],
    message: typeof sent === 'string' && sent !== placeholder ? sent : undefined,
    isAssumed:
      replies === undefined ||
      (creation !== undefined &&
        createdAt === undefined &&
        !isCookie &&
        (ownId === undefined || created === undefined)),
    choosesIds,
  };
}

/** Returns the path of the creation, in which the id of the session replaces that of the command. */
function creationPath({ url }: GivenRequest, query: string, ownId: string | undefined): string | Code {
  const parts = url.pathname.split('/').map((part) => (decoded(part) === ownId ? '{{sessionId}}' : part));
  const path = parts.join('/') + query;
  if (!path.includes('${')) return path;
  const isNamed = path.includes('{{sessionId}}');
  return new Code(
    `(${isNamed ? '{ sessionId }' : ''}) => \`${path.replaceAll('{{sessionId}}', '${encodeURIComponent(sessionId)}')}\``,
  );
}

function creationBody({ body }: GivenRequest, ownId: string | undefined): unknown {
  const places = leavesOf(body).filter(({ value }) => ownId !== undefined && value === ownId);
  if (places.length === 0) return body;
  const withId = places.reduce<unknown>((so, { path }) => withValue(so, path, new Code('sessionId')), body);
  return new Code(`({ sessionId }) => (${literal(withId, '      ')})`);
}

/** Describes the ids that messages send. */
function sessionWords(
  message: GivenRequest,
  { session, users, continued, choosesIds }: SentIds,
  { chosen }: SessionPlaces,
): string[] {
  const isOurs = choosesIds ? ', a new id per session' : '';
  const empty = message.fields === undefined ? 'set it to null' : 'leave it empty';
  const remedy = choosesIds ? ` (if the service creates ids, ${empty} in the command)` : '';
  return [
    ...(continued === undefined ? [] : [`${placeIn(message, [continued])}, assumed: the reply has such an id`]),
    ...(session === undefined ? [] : [`${placeIn(message, session)}${isOurs}${remedy}`]),
    ...users.map((path) => `${placeIn(message, path)}${isOurs}`),
    ...(chosen?.headers ?? []).map((name) => `header ${name}${isOurs}`),
    ...(chosen?.query ?? []).map((name) => `query ${name}${isOurs}`),
    ...(chosen?.segment === undefined ? [] : [`in the path${isOurs}`]),
  ];
}

/** Describes a request in which nothing distinguishes sessions. */
function noSession(api: GivenApi): string {
  const same = sameValues(api);
  return same.length === 0
    ? 'none found: the request names no session, so the service may continue one conversation for all of them'
    : `none found: all sessions send the same ${same.join(', ')}`;
}

/** Returns the expression of a body with these fields. */
function bodyCode(written: string, sentAs: GivenRequest['fields']): string {
  if (sentAs === undefined) return `(${written})`;
  if (sentAs !== 'multipart') return `String(new URLSearchParams(${written}))`;
  const part = `--${boundary}\\r\\nContent-Disposition: form-data; name="\${name}"\\r\\n\\r\\n\${value}\\r\\n`;
  return `Object.entries(${written}).map(([name, value]) => \`${part}\`).join('') + '--${boundary}--\\r\\n'`;
}

/** Between the parts of a body. */
const boundary = 'chat-load-9f3a61d2';

const contentTypes = {
  form: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${boundary}`,
};

/** Returns the path of messages; a function if it contains the message or an id that the client chooses. `names`: of the body. */
function pathCode(target: string, names: readonly string[]): string | Code {
  if (!target.includes('${')) return target;
  if (!target.includes('new URLSearchParams('))
    return new Code(`${target.includes(chosenId) ? '({ variables }) => ' : ''}\`${target}\``);
  // Functions fill in the ids themselves.
  const path = target.replaceAll('{{sessionId}}', '${encodeURIComponent(sessionId)}');
  const words = codesOf(path).split(/\W+/);
  const used = ['message', 'sessionId', 'variables'].filter((name) => names.includes(name) || words.includes(name));
  return new Code(`({ ${used.join(', ')} }) => \`${path}\``);
}

/** Returns the expressions of a template literal. */
const codesOf = (template: string): string => (template.match(/\$\{[^}]*\}/g) ?? []).join(' ');

/** Returns the header fields with the id of the session. */
function headersOf({ header, chosen }: SessionPlaces, sentAs: GivenRequest['fields']): { headers?: unknown } {
  const type = sentAs === 'form' || sentAs === 'multipart' ? { 'Content-Type': contentTypes[sentAs] } : {};
  const ids = (chosen?.headers ?? []).map((name) => [name, new Code(chosenId)] as const);
  const id: Readonly<Record<string, unknown>> =
    header === undefined ? Object.fromEntries(ids) : { [header]: '{{sessionId}}' };
  const fields = { ...type, ...id };
  if (Object.keys(fields).length === 0) return {};
  const isFunction = header === undefined && ids.length > 0;
  return { headers: isFunction ? new Code(`({ variables }) => (${literal(fields, '    ')})`) : fields };
}

/** Path of a value that no reply has shown: no reply has it, so that the first one ends the conversation. */
const unseen: JsonPath = ['path', 'to', 'value'];

/** Describes why the definition has no path of the reply. */
const unseenWords = ({ failure }: GivenApi): string =>
  failure === undefined
    ? `not found: replace ${dotted(unseen)} by its path`
    : `not seen: the request was answered with ${failure}. Correct the command, or replace ${dotted(unseen)} by the path of the text`;

/** Describes where a message names the session that was created. */
const sentAt = (message: GivenRequest, { segment, header, query }: SessionPlaces, body: JsonPath | undefined): string =>
  [
    ...(segment === undefined ? [] : ['in the path']),
    ...(header === undefined ? [] : [`in the header ${header}`]),
    ...(query === undefined ? [] : [`in the query as ${query}`]),
    ...(body === undefined ? [] : [`in ${placeIn(message, body)}`]),
  ].join(', ');

const methodOf = ({ method }: GivenRequest): { method?: string } => (method === 'POST' ? {} : { method });

/** Replaces the ids of the objects that contain the message, `depth` or more levels deep: each message has its own. */
function withNewIds(json: unknown, message: JsonPath, depth = 1): unknown {
  const ids = leavesOf(json).filter(
    ({ path, value }) =>
      path.length > depth &&
      isUuid(value) &&
      isIdName(path.at(-1)) &&
      path.slice(0, -1).every((key, index) => message[index] === key),
  );
  return ids.reduce<unknown>((so, { path }) => withValue(so, path, new Code('crypto.randomUUID()')), json);
}

/** Replaces the list of messages by the conversation, in the form of its last message. */
export function withConversation(body: unknown, list: JsonPath, place: JsonPath): unknown {
  const items = valueIn(body, list);
  const all = Array.isArray(items) ? (items as unknown[]) : [];
  const last = all.at(-1);
  const below = place.slice(list.length + 1);
  const shape = withNewIds(
    withValue(withValue(last, below, new Code('content')), ['role'], new Code('role')),
    below,
    0,
  );
  const isPlain = isObject(last) && Object.keys(last).sort().join() === 'content,role' && below.length === 1;
  const turns = isPlain ? 'messages' : `messages.map(({ role, content }) => (${literal(shape, '    ')}))`;
  const before = all.filter((item) => isObject(item) && /^(?:system|developer)$/.test(String(item['role'])));
  return withValue(body, list, before.length === 0 ? new Code(turns) : [...before, new Code(`...${turns}`)]);
}

/** Splits the URLs into a base URL and paths; the id of a created session becomes a placeholder. */
function pathsOf({ url }: GivenRequest, creation: GivenRequest | undefined, { segment, query, chosen }: SessionPlaces) {
  const parts = url.pathname.split('/');
  if (segment !== undefined) parts[segment + 1] = '{{sessionId}}';
  if (chosen?.segment !== undefined) {
    const [, verb] = idAndVerb(parts[chosen.segment + 1] ?? '');
    parts[chosen.segment + 1] = `\${encodeURIComponent(${chosenId})}${verb}`;
  }
  const fields = query === undefined ? '' : `${encodeURIComponent(query)}={{sessionId}}`;
  return { baseUrl: url.origin, message: parts.join('/'), query: fields, creation: creation?.url.pathname ?? '' };
}
