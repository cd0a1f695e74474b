import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { unknownName } from '../base/unknown-name.ts';
import { fillNames, namesIn, placeholderProblem, valuePrefix, type Ids } from '../protocol/defined/compose-message.ts';
import type {
  EventPath,
  ReplyDefinition,
  SocketDefinition,
  UsagePaths,
  ValuePath,
} from '../protocol/defined/definition.ts';
import { headerProblem } from '../protocol/defined/header-fields.ts';
import { errorClassNames } from '../protocol/outcome.ts';
import { usageForms, usageParts } from '../protocol/usage.ts';

type Given<Value> = Exclude<Value, undefined>;

/** Returns a field with a function that describes what is wrong with its value; `undefined` if it is valid. */
export function field<Value>(problemOf: (value: unknown) => string | undefined) {
  return z.custom<Given<Value>>().superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

/** Returns a field that has one of several forms; `what` describes them. */
export function oneOf<Value>(forms: readonly ((value: unknown) => boolean)[], what: string) {
  return field<Value>((value) => (forms.some((isForm) => isForm(value)) ? undefined : expected(what, value)));
}

export function expected(what: string, value: unknown): string {
  return value === undefined ? `is required (${what})` : `expected ${what}`;
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Reports whether a value is a dotted path to one value. */
export function isPath(value: unknown): value is string {
  return isTextPath(value) && !value.split('.').includes('*');
}

/** Reports whether a value is a path; words for the end of a response are not. */
export function isFieldOfEvent(value: unknown): boolean {
  return isPath(value) && value !== 'close' && value !== '[DONE]';
}

/** Reports whether a value is a dotted path, in which `*` stands for every entry of a list. */
const isTextPath = (value: unknown): value is string => typeof value === 'string' && /^[^.]+(\.[^.]+)*$/.test(value);

/** Returns a check for an object with one field, a text. */
export function isNamed(name: string) {
  return (value: unknown): boolean =>
    isObject(value) && Object.keys(value).join() === name && typeof value[name] === 'string' && value[name] !== '';
}

export function bodyPlace<Value>() {
  return oneOf<Value>([isPath, isFunction], placeIn('body'));
}

export const eventPlace = oneOf<EventPath>([isPath, isFunction], placeIn('event'));

/** Returns a field with the place of a text, or of several texts. */
export function textPlace<Value>(of: 'body' | 'event' = 'body') {
  return oneOf<Value>([isTextPath, isFunction], placeIn(of));
}

function placeIn(of: 'body' | 'event'): string {
  return `a dotted path such as '${of === 'body' ? 'data' : 'delta'}.text', or a function of the ${of}`;
}

export const place = oneOf<ValuePath>(
  [isPath, isFunction, isNamed('header')],
  "a dotted path such as 'data.id', { header: 'Location' }, or a function of the body",
);

export function functionOf<Value>(given: string) {
  return oneOf<Value>([isFunction], `a function of ${given}`).optional();
}

export const method = z.string().regex(/^[A-Z]+$/, "expected a method in capitals, such as 'PUT'");

/** Removes the placeholders of values, whose names depend on `createSession`. */
const withoutValues = (text: string, ids: readonly (keyof Ids)[]): string =>
  ids.includes('values') ? fillNames(text, (name) => (name.startsWith(valuePrefix) ? '' : undefined)) : text;

/** Reports whether a field `Authorization` contains what the creation of the session returned. */
const authorizesBySession = (fields: unknown): boolean =>
  isObject(fields) &&
  Object.entries(fields).every(
    ([name, value]) =>
      name.toLowerCase() !== 'authorization' ||
      (typeof value === 'string' &&
        namesIn(value).some((placeholder) => placeholder === 'sessionId' || placeholder.startsWith(valuePrefix))),
  );

type Forms = readonly ((value: unknown) => boolean)[];

export function pathWith<Value>(ids: readonly (keyof Ids)[], forms: Forms) {
  return field<Value>((value) => {
    if (forms.some((isForm) => isForm(value))) return undefined;
    if (typeof value !== 'string' || !value.startsWith('/')) return expected("a path that begins with '/'", value);
    return placeholderProblem(withoutValues(value, ids), ids);
  });
}

export function headersWith<Value>(ids: readonly (keyof Ids)[], forms: Forms) {
  return field<Value>((value) => {
    if (forms.some((isForm) => isForm(value))) return undefined;
    const values = isObject(value) ? Object.values(value).filter((text) => typeof text === 'string') : [];
    const wrong = values
      .map((text) => placeholderProblem(withoutValues(text, ids), ids))
      .find((problem) => problem !== undefined);
    return headerProblem(value, authorizesBySession(value) ? ['authorization'] : []) ?? wrong;
  });
}

const forms = Object.keys(usageForms);
const usage = field<UsagePaths>((value) => {
  if (isFunction(value)) return undefined;
  if (typeof value === 'string') return forms.includes(value) ? undefined : unknownName('form', value, forms);
  if (!isObject(value))
    return expected(
      "{ inputTokens: 'usage.in', outputTokens: 'usage.out' }, the name of a form such as 'openai', or a function",
      value,
    );
  const unknown = Object.keys(value).find((key) => !usageParts.some((part) => part === key));
  if (unknown !== undefined) return unknownName('key', unknown, usageParts);
  const wrong = Object.keys(value).find((key) => !isPath(value[key]));
  return wrong === undefined ? undefined : `${wrong}: expected a dotted path such as 'usage.in'`;
});

/** Values of a reply besides its text. */
export const valuesShape = {
  id: bodyPlace<ReplyDefinition['id']>().optional(),
  sessionId: bodyPlace<ReplyDefinition['sessionId']>().optional(),
  chainsIds: z.boolean().optional(),
  usage: usage.optional(),
  model: bodyPlace<ReplyDefinition['model']>().optional(),
  finish: bodyPlace<ReplyDefinition['finish']>().optional(),
  toolCalls: functionOf<ReplyDefinition['toolCalls']>('the body'),
};

const closeClasses = [...errorClassNames, 'connection_lost', 'truncated'] as const;
export const closeCodes = field<SocketDefinition['closeCodes']>((value) => {
  if (!isObject(value)) return expected("classes by code, such as { 4429: 'rate_limited' }", value);
  const code = Object.keys(value).find((key) => !/^(?:1\d{3}|[34]\d{3})$/.test(key));
  if (code !== undefined) return `unknown close code ${code}: codes are from 1000 to 4999`;
  const wrong = Object.values(value).find((name) => !closeClasses.some((each) => each === name));
  if (wrong === undefined) return undefined;
  return typeof wrong === 'string'
    ? unknownName('class', wrong, closeClasses)
    : expected('the names of classes', wrong);
});
