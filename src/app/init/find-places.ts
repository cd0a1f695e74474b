import { isObject } from '../../base/is-object.ts';
import {
  isSessionHandle,
  isSessionName,
  isSessionPath,
  isUserName,
  isUserPath,
  isUuid,
  namesSession,
} from './id-names.ts';
import type { SeenReply } from './given-api.ts';
import { Code } from './literal.ts';

export type JsonPath = readonly (string | number)[];

interface Leaf {
  path: JsonPath;
  value: unknown;
}

/** Returns the values of a JSON document that are neither objects nor lists, in its order. */
export function leavesOf(json: unknown, path: JsonPath = []): Leaf[] {
  if (Array.isArray(json)) return json.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (isObject(json) && !(json instanceof Code))
    return Object.entries(json).flatMap(([key, value]) => leavesOf(value, [...path, key]));
  return [{ path, value: json }];
}

/** Returns the JSON of a reply, or that of each of its events. */
export function jsonsOf(reply: SeenReply | undefined): readonly unknown[] {
  if (reply === undefined || 'text' in reply) return [];
  return 'events' in reply ? reply.events.map(({ json }) => json) : [reply.json];
}

/** Returns the value at a path; `undefined` if there is no path. */
export function valueIn(json: unknown, path: JsonPath | undefined): unknown {
  return path?.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? at[key as keyof typeof at] : undefined,
    json,
  );
}

/** Returns a copy of a JSON document with another value at a path. */
export function withValue(json: unknown, [key, ...rest]: JsonPath, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(json)) return json.map((item: unknown, at) => (at === key ? withValue(item, rest, value) : item));
  return isObject(json) ? { ...json, [key]: withValue(json[key], rest, value) } : json;
}

/** Names of fields, in the order in which they are chosen. */
const messageNames = 'message usermessage input prompt query text content question msg utterance body q'.split(' ');
const replyNames = 'reply response answer output text content message result completion delta token'.split(' ');

/**
 * Returns the place of the user's message in the body of a request: by the name of its field, otherwise the longest
 * natural text, otherwise the only text.
 */
export function findMessage(body: unknown): JsonPath | undefined {
  const texts = textsOf(body).filter(({ path }) => !isUserName(path.at(-1)));
  const list = findConversation(body);
  if (list === undefined) return chooseText(texts, messageNames);
  const inList = texts.filter(({ path }) => isBelow(path, list));
  const last = inList.at(-1)?.path[list.length];
  return chooseText(
    inList.filter(({ path }) => path[list.length] === last),
    messageNames,
  );
}

/** Fields that name the speaker of a message, with the words for a user and an agent: the usual ones, and those of LangChain. */
export const speakers = [
  { field: 'role', user: 'user', agent: 'assistant' },
  { field: 'type', user: 'human', agent: 'ai' },
] as const;

/** Returns the place of a list of messages with their speakers, which the client keeps. */
export function findConversation(body: unknown): JsonPath | undefined {
  const [found] = leavesOf(body).filter(
    ({ path, value }) =>
      path.length >= 2 && speakers.some(({ field, user }) => path.at(-1) === field && value === user),
  );
  return found !== undefined && typeof found.path.at(-2) === 'number' ? found.path.slice(0, -2) : undefined;
}

/** Fields whose texts are no answers. */
const technicalNames = /^(?:errors?|type|event|kind|role|status|state|object|model|created_?at|.*_?id)$/i;

/** Returns the place of the agent's text in a reply, which does not repeat the message that was sent. */
export function findReply(json: unknown, sent?: unknown): JsonPath | undefined {
  const texts = textsOf(json).filter(
    ({ path, value }) => value !== sent && !path.some((key) => technicalNames.test(String(key))),
  );
  const [user] = leavesOf(json).filter(
    ({ path, value }) => path.at(-1) === 'role' && /^(?:user|human)$/.test(String(value)),
  );
  const list = user?.path.slice(0, -2);
  // The last message of a conversation is the reply.
  const last = list === undefined ? undefined : texts.findLast(({ path }) => isBelow(path, list));
  const answers = texts.filter(({ path }) => !isAsideIn(json, path));
  return last?.path ?? chooseText(answers.length > 0 ? answers : texts, replyNames);
}

/** Reports whether a text belongs to an object whose kind is no answer: reasoning, a tool call, debugging. */
function isAsideIn(json: unknown, path: JsonPath): boolean {
  return path.some((_, index) => {
    const at = valueIn(json, path.slice(0, index));
    return (
      isObject(at) &&
      ['type', 'kind', 'message_type', 'role'].some((name) =>
        /debug|reason|think|thought|tool|error|system|user|human|^log/i.test(textOrNothing(at[name])),
      )
    );
  });
}

const textOrNothing = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the place of a session's id in a request, where a bot may know it as the sender. */
export function findSentSession(body: unknown): JsonPath | undefined {
  return (
    findNamedSession(body) ?? leavesOf(body).find(({ path }) => /^sender(?:_id)?$/i.test(String(path.at(-1))))?.path
  );
}

/** Returns the place of an id in a request that names the session itself. */
export function findNamedSession(body: unknown): JsonPath | undefined {
  const leaves = leavesOf(body);
  const named = leaves.find(({ path, value }) => isId(value) && isSessionPath(path));
  // Pages generate the id of a chat, and name it `id`.
  const generated = leaves.find(({ path, value }) => path.length === 1 && path[0] === 'id' && isUuid(value));
  return (named ?? generated)?.path;
}

/** Returns the places of ids of persons in a request: not of roles, and not in a list of messages. */
export function findUsers(body: unknown): JsonPath[] {
  const list = findConversation(body);
  return leavesOf(body)
    .filter(
      ({ path, value }) =>
        isId(value) &&
        isUserPath(path) &&
        !roles.test(String(value).trim()) &&
        !(list !== undefined && isBelow(path, list)),
    )
    .map(({ path }) => path);
}

/** Values that distinguish persons from bots, or channels from each other. */
const roles = /^(?:user|human|person|customer|client|guest|bot|agent|assistant|system|web(?:site)?|app|api)$/i;

/** Returns the place of a session's id. */
export function findSession(json: unknown): JsonPath | undefined {
  return leavesOf(json).find(({ path, value }) => isId(value) && isSessionPath(path))?.path;
}

/** Returns the place of the id in the reply to a creation. */
export function findCreatedId(json: unknown): JsonPath | undefined {
  const named = leavesOf(json).filter(
    ({ path, value }) => isId(value) && value !== null && /^(?:uu)?id$/i.test(String(path.at(-1))),
  );
  const handle = leavesOf(json).find(({ path, value }) => isId(value) && namesSession(path.at(-1)));
  const below = leavesOf(json).find(({ path, value }) => isId(value) && isSessionHandle(path));
  return (
    findSession(json) ??
    handle?.path ??
    below?.path ??
    named.sort((one, other) => one.path.length - other.path.length)[0]?.path
  );
}

const isId = (value: unknown): boolean => value === null || typeof value === 'string' || typeof value === 'number';

/** Reports whether the name of a field suggests the user's message. */
export function isMessageName(key: unknown): boolean {
  return rankOf(key, messageNames) < messageNames.length;
}

type Text = Leaf & { value: string };

const textsOf = (json: unknown): Text[] =>
  leavesOf(json).filter((leaf): leaf is Text => typeof leaf.value === 'string' && !isSessionName(leaf.path.at(-1)));

const isBelow = (path: JsonPath, parent: JsonPath): boolean => parent.every((key, index) => path[index] === key);

/** Returns the position of a field's name; the number of names if it is none of them. */
function rankOf(key: unknown, names: readonly string[]): number {
  const plain = String(key).replaceAll(/[_-]/g, '').toLowerCase();
  const rank = names.indexOf(plain);
  return rank === -1 ? names.length : rank;
}

function chooseText(texts: readonly Text[], names: readonly string[]): JsonPath | undefined {
  const nameOf = ({ path }: Text): number =>
    rankOf(
      path.findLast((key) => typeof key === 'string'),
      names,
    );
  const [named] = texts
    .filter((text) => nameOf(text) < names.length)
    .sort((one, other) => nameOf(one) - nameOf(other) || one.path.length - other.path.length);
  const natural = texts
    .filter(({ value }) => /\S\s+\S/.test(value.slice(0, 10_000)) && /\p{L}/u.test(value))
    .sort((one, other) => other.value.length - one.value.length);
  return (named ?? natural[0] ?? (texts.length === 1 ? texts[0] : undefined))?.path;
}
