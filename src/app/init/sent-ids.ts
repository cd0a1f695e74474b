import {
  findConversation,
  findMessage,
  findNamedSession,
  findUsers,
  leavesOf,
  valueIn,
  withValue,
  type JsonPath,
} from './find-places.ts';
import { isObject } from '../../base/is-object.ts';
import type { GivenApi, GivenRequest } from './given-api.ts';
import { isSessionName } from './id-names.ts';
import { Code, literal } from './literal.ts';
import { isNumberId, sessionCode, valueOfReply } from './number-ids.ts';
import { decoded, type SessionPlaces } from './session-places.ts';

/** Ids of the conversation in the request of a message. */
export interface SentIds {
  /** Id of the session in the body. */
  readonly session: JsonPath | undefined;
  /** Ids of persons in the body that differ between sessions. */
  readonly users: readonly JsonPath[];
  /** Ids of the person to whom all sessions belong, because other parts of a request contain them, too. */
  readonly sharedUsers: readonly JsonPath[];
  /** Place in the body that continues a session, if only replies contain its id. */
  readonly continued: JsonPath | undefined;
  /** True if the client chooses an id. */
  readonly choosesIds: boolean;
  /** True if the body has the id of the session as a number. */
  readonly isNumber: boolean;
  /** Code in place of the id of the session. */
  readonly code: Code;
}

/** Text of the id that the client chooses for a session. */
export const chosenId = 'String(variables.conversationId)';

/** Finds the ids of a request. `returned`: place of the session's id in replies. */
export function sentIds(api: GivenApi, places: SessionPlaces, returned: JsonPath | undefined): SentIds {
  const { message, creation, reply } = api;
  const session = places.body ?? findNamedSession(message.body);
  const isReturned = creation !== undefined || returned !== undefined;
  const given = valueIn(message.body, session);
  // The service replaces an empty id, and null, unless its reply contains no id.
  const isLeftToService = (given === '' || given === null) && (isReturned || reply === undefined);
  const choosesSession = session !== undefined && creation === undefined && !isLeftToService;
  const { headers = [], query = [], segment } = places.chosen ?? {};
  const continued =
    session === undefined && headers.length + query.length === 0 && segment === undefined
      ? continuedAt(message, returned)
      : undefined;
  const others = headers.length + query.length + (segment === undefined ? 0 : 1);
  const isKnown = isReturned || session !== undefined || findConversation(message.body) !== undefined || others > 0;
  const { users, sharedUsers } = usersOf(api, session, isKnown);
  const own = choosesSession
    ? chosenCode({ given, fields: message.fields })
    : creation === undefined && given !== ''
      ? 'null'
      : undefined;
  const isNumber =
    message.fields === undefined && (places.isNumber ?? isNumberId(given, valueOfReply(reply, returned)));
  return {
    session,
    users,
    sharedUsers,
    continued,
    choosesIds: choosesSession || users.length + others > 0,
    isNumber,
    code: new Code(choosesSession && !isReturned && own !== undefined ? own : sessionCode(isNumber, own)),
  };
}

/**
 * Returns the place of an id in the body by that in a reply: below the same object if the body has it, otherwise in a field
 * of that name, or in an object of the session if the name of the field is only that of an id.
 */
function continuedAt({ body, fields }: GivenRequest, returned: JsonPath | undefined): JsonPath | undefined {
  if (returned === undefined) return undefined;
  const [first] = returned;
  if (fields === undefined && first !== undefined && returned.length > 1 && isObject(body[first])) return returned;
  const names = returned.filter((key) => typeof key === 'string');
  return names.slice(isSessionName(names.at(-1)) || fields !== undefined ? -1 : -2);
}

/** Returns the ids of persons that differ between sessions: all if nothing else is an id, otherwise those that look like one. */
function usersOf({ message, creation }: GivenApi, session: JsonPath | undefined, isKnown: boolean) {
  const created = JSON.stringify(creation?.body ?? {});
  const elsewhere = new Set([...segmentsOf(message), ...(creation === undefined ? [] : outsideBody(creation))]);
  // A session that is created for a person receives messages of that person, and one person is in all parts of a request.
  const isShared = (path: JsonPath): boolean => {
    const value = valueIn(message.body, path);
    return elsewhere.has(String(value)) || (creation !== undefined && created.includes(JSON.stringify(value)));
  };
  const others = findUsers(message.body).filter((path) => path.join() !== session?.join());
  return {
    users: others.filter((path) => !isShared(path) && (!isKnown || /\d/.test(String(valueIn(message.body, path))))),
    sharedUsers: others.filter(isShared),
  };
}

const segmentsOf = ({ url }: GivenRequest): string[] =>
  url.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);

/** Returns the segments of the path, and the values of the query and of header fields. */
const outsideBody = (request: GivenRequest): string[] => [
  ...segmentsOf(request),
  ...request.url.searchParams.values(),
  ...request.headers.map(([, value]) => value),
];

/** Returns the body with code in place of its ids. */
export function withIds(
  { body, fields }: Pick<GivenRequest, 'body' | 'fields'>,
  { session, users, continued, isNumber, code }: SentIds,
): unknown {
  const own = users.reduce<GivenRequest['body']>(
    (so, path) => codeAt(so, path, chosenCode({ given: valueIn(body, path), fields })),
    body,
  );
  if (session !== undefined) return withValue(own, session, code);
  if (continued === undefined) return own;
  // A form has no field without a value.
  if (fields === undefined) return withPath(own, continued, new Code(sessionCode(isNumber, 'undefined')));
  const name = String(continued.at(-1));
  return { ...own, [name]: new Code(`...(sessionId && ${literal({ [name]: new Code('sessionId') })})`) };
}

/** Returns a body with a value at a path, whose objects are added. */
function withPath(json: unknown, [key, ...rest]: JsonPath, value: unknown): unknown {
  if (key === undefined) return value;
  const own = isObject(json) ? json : {};
  return { ...own, [key]: withPath(own[key], rest, value) };
}

const codeAt = (body: GivenRequest['body'], path: JsonPath, code: string): GivenRequest['body'] =>
  withValue(body, path, new Code(code)) as GivenRequest['body'];

/** Returns the code of a chosen id of the type of the given one; of a form or a query, a text. */
function chosenCode({ given, fields }: { given: unknown; fields: GivenRequest['fields'] }): string {
  if (typeof given === 'number') return `Number.parseInt(${chosenId}, 16)`;
  return fields === undefined ? 'variables.conversationId' : chosenId;
}

/** Names a place of the fields of a request. */
export function placeIn({ fields }: GivenRequest, path: JsonPath): string {
  const name = path.join('.');
  if (fields === 'text' || fields === 'string') return 'body';
  return fields === undefined ? `body.${name}` : fields === 'query' ? `query ${name}` : `form field ${name}`;
}

/** Names the values besides the message that all sessions send. */
export function sameValues({ message }: GivenApi): string[] {
  const { body, url, headers } = message;
  const place = findMessage(body)?.join('.');
  const fields = leavesOf(body).filter(
    ({ path, value }) => path.join('.') !== place && isShort(value) && !settings.test(String(path.at(-1))),
  );
  const segments = url.pathname.split('/').filter((part) => /\d/.test(part) && !/^v\d+$/i.test(part));
  return [
    ...fields.map(({ path }) => placeIn(message, path)),
    ...[...url.searchParams.keys()].map((name) => `query ${name}`),
    ...(headers.some(([name]) => /^cookie$/i.test(name)) ? ['Cookie'] : []),
    ...(segments.length > 0 ? ['path'] : []),
  ].slice(0, 5);
}

const isShort = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= 64);

/** Fields that set how a service replies. */
const settings =
  /^(?:model|temperature|top_?[pk]|max_?(?:new_?)?tokens|stream\w*|lang(?:uage)?|locale|role|type|format|version|seed|time_?zone)$/i;
