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
import { placeholder, type GivenApi, type GivenRequest, type SeenReply } from './given-api.ts';
import type { Moved } from './environment-references.ts';
import { Code, literal } from './literal.ts';
import { dotted, replyPlaces } from './reply-places.ts';
import { chosenId, placeIn, sameValues, sentIds, withIds, type SentIds } from './sent-ids.ts';
import {
  bodyCode,
  creationBody,
  creationPath,
  headersOf,
  pathCode,
  withConversation,
  withNewIds,
} from './request-code.ts';
import { idAndVerb, type SessionPlaces } from './session-places.ts';
import { keepsHistory, sharedAgent, withLastMessage } from './stateful-agents.ts';
import { usageError } from '../../base/errors.ts';

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
  const { creation, reply, created, cookies } = api;
  const isStateful = keepsHistory(api);
  const message = isStateful ? withLastMessage(api.message) : api.message;
  const place = findMessage(message.body);
  if (place === undefined)
    throw usageError(
      `The ${message.fields ?? 'body'} has no field that looks like the message of a user.`,
      'Nothing was written. Use a request that sends a message such as "Hello, where is my order?", or complete the definition that chat-load init --protocol own writes.',
    );
  const list = isStateful ? undefined : findConversation(message.body);
  const sent = valueIn(message.body, place);
  const named = places.body ?? findNamedSession(message.body);
  // Without an id in the request, the reply may contain one that continues the conversation.
  const startsByMessage = list === undefined && creation === undefined;
  const replies =
    reply === undefined ? undefined : replyPlaces(reply, { sent, hasSession: named !== undefined || startsByMessage });
  const { ownId } = places;
  const createdAt = ownId === undefined ? findCreatedId(created) : undefined;
  const path = pathsOf(message, creation, places);
  const ids = sentIds({ ...api, message }, places, replies?.session);
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
    ...(replies?.fields ?? unseenFields(reply)),
  };
  return {
    text: `/** Requests and replies of your API. docs/reference/protocols.md of the chat-load package explains every field. */\nconst ownApi = defineProtocol(${literal(fields)});\n`,
    baseUrl: path.baseUrl,
    stream: isErrorStream(reply) || (replies !== undefined && reply !== undefined && 'events' in reply),
    chosen: [
      [
        'message',
        list === undefined
          ? placeIn(message, place)
          : `${placeIn(message, list)}, the whole conversation in every request`,
      ],
      ...[...sessions, ...(isShared ? [isStateful ? sharedAgent : noSession(api)] : []), ...persons].map(
        (words) => ['session', words] as const,
      ),
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
    ...(continued === undefined ? [] : [`${placeIn(message, continued)}, assumed: the reply has such an id`]),
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

/** Path of a value that no reply has shown: no reply has it, so that the first one ends the conversation. */
const unseen: JsonPath = ['path', 'to', 'value'];

/** Reports whether a reply is a stream that ended with an error. */
const isErrorStream = (reply: SeenReply | undefined): boolean =>
  reply !== undefined && 'events' in reply && reply.isCut === true;

/** Returns the fields of a definition whose reply is not known, in the format that was seen. */
function unseenFields(reply: SeenReply | undefined): object {
  const text = dotted(unseen);
  return reply !== undefined && 'events' in reply && isErrorStream(reply)
    ? { stream: { format: reply.format, text, end: 'close' } }
    : { reply: { text } };
}

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
