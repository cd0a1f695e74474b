import { isObject } from '../../base/is-object.ts';
import { contentText } from './content-text.ts';
import { Unreadable, type Fields, type RawMessage } from './format.ts';
import { roleOf } from './role-of.ts';

/** A list of objects. Throws `Unreadable` for anything else. */
export function objectsOf(value: unknown, name: string): readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Unreadable('otherForm', `${name} is not a list`);
  if (value.every(isObject)) return value;
  throw new Unreadable('otherForm', `${name} contains what is no message`);
}

/** Messages of the form `{"role", "content"}`. */
export function readMessages(value: unknown, name: string): RawMessage[] {
  return objectsOf(value, name).map((message) => ({
    role: roleOf(message['role']),
    text: contentText(message['content']),
  }));
}

/** Whether a value is a list of objects that have these fields; an empty one is not. */
export function isListOf(value: unknown, ...fields: readonly string[]): value is Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isObject(item) && fields.every((field) => Object.hasOwn(item, field)))
  );
}

/** The first of these fields that is a text or a whole number, as text. */
export function textField(record: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  }
  return undefined;
}
