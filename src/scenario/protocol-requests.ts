import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { unknownName } from '../base/unknown-name.ts';
import { namesIn, placeholderProblem, valuePrefix } from '../protocol/defined/compose-message.ts';
import type { ApiDefinition, CreationDefinition, MessageDefinition } from '../protocol/defined/definition.ts';
import { closedObject, readWith } from './closed-object.ts';
import {
  expected,
  field,
  functionOf,
  headersWith,
  isFunction,
  method,
  oneOf,
  pathWith,
  place,
} from './protocol-fields.ts';

const ids = ['sessionId', 'agentId', 'values'] as const;

/** The schema of `createSession`. */
const creation = closedObject({
  method: method.optional(),
  path: pathWith<CreationDefinition['path']>(ids, [isFunction]),
  headers: headersWith<CreationDefinition['headers']>(ids, [isFunction]).optional(),
  body: oneOf<CreationDefinition['body']>(
    [(value) => typeof value === 'object' && value !== null, isFunction],
    'JSON, or a function that returns it',
  ).optional(),
  sessionId: place.optional(),
  values: z.record(z.string().regex(/^\w{1,40}$/, 'expected letters, digits and _, at most 40'), place).optional(),
});

const severalCreations = z.array(creation).min(1, 'expected at least one request');

/** The schema of one creation, or of a list of its requests. */
export const creations = z
  .custom<CreationDefinition | readonly CreationDefinition[]>((value) => isObject(value) || Array.isArray(value), {
    error: 'expected an object, or a list of requests',
  })
  .transform((value, context): CreationDefinition | CreationDefinition[] =>
    Array.isArray(value) ? readWith(severalCreations, value, context) : readWith(creation, value, context),
  );

/** The schema of `message`. */
export const message = closedObject({
  method: method.optional(),
  path: pathWith<MessageDefinition['path']>(ids, [isFunction]),
  headers: headersWith<MessageDefinition['headers']>(ids, [isFunction]).optional(),
  body: functionOf<MessageDefinition['body']>('the message, such as ({ message }) => ({ text: message })'),
});

const chosenNames = ['uuid', 'run.id', 'session.number'];

/** The schema of an id that the client chooses: one of another session or run would continue its conversation. */
export const chosenId = field<ApiDefinition['sessionId']>((value) => {
  if (typeof value !== 'string') return expected("a text such as '{{uuid}}'", value);
  const names = namesIn(value);
  const isUnique = names.includes('uuid') || (names.includes('run.id') && names.includes('session.number'));
  const remedy = 'is the same in several sessions or runs: use {{uuid}}, or {{run.id}} with {{session.number}}';
  return placeholderProblem(value, chosenNames) ?? (isUnique ? undefined : remedy);
});

type Sessions = Pick<ApiDefinition, 'cookies' | 'sessionId' | 'createSession'> & {
  message: Pick<MessageDefinition, 'path' | 'headers'>;
};

/** Checks that sessions have an id, and that the values in requests were returned by one before. */
export function checkSessions(
  { cookies, sessionId, createSession, message }: Sessions,
  refuse: (path: string[], message: string) => void,
): void {
  const list = [createSession ?? []].flat();
  const hasId = list.some((each) => each.sessionId !== undefined || each.values !== undefined);
  if (list.length > 0 && !hasId && cookies !== true && sessionId === undefined)
    refuse(
      ['createSession', ...(Array.isArray(createSession) ? ['0'] : []), 'sessionId'],
      "is required (where the session's id is found), unless cookies: true makes the cookies the session",
    );
  const known: string[] = [];
  for (const { path, headers, values } of [...list, message] as readonly CreationDefinition[]) {
    const wrong = textsOf(path, headers)
      .flatMap(namesIn)
      .find((name) => name.startsWith(valuePrefix) && !known.includes(name));
    if (wrong !== undefined)
      refuse([values === undefined ? 'message' : 'createSession'], unknownName('value', wrong, known));
    known.push(...Object.keys(values ?? {}).map((name) => valuePrefix + name));
  }
}

const textsOf = (path: unknown, headers: unknown): string[] =>
  [path, ...(isObject(headers) ? Object.values(headers) : [])].filter((text) => typeof text === 'string');
