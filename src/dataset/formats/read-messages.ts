import { isObject } from '../../base/is-object.ts';
import { Unreadable, type Fields, type RawMessage } from './format.ts';
import { nameOrLength } from '../../base/excerpt.ts';
import type { Role } from '../conversation.ts';

/** Returns a list of objects. Throws `Unreadable` for anything else. */
export function objectsOf(value: unknown, name: string): readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Unreadable('otherForm', `${name} is not a list`);
  if (value.every(isObject)) return value;
  throw new Unreadable('otherForm', `${name} contains something other than messages`);
}

/** Reads messages of the form `{"role", "content"}`. */
export function readMessages(value: unknown, name: string): RawMessage[] {
  return objectsOf(value, name).map((message) => ({
    role: roleOf(message['role']),
    text: contentText(message['content']),
  }));
}

/** Reports whether a value is a list, not empty, of objects with these fields. */
export function isListOf(value: unknown, ...fields: readonly string[]): value is Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isObject(item) && fields.every((field) => Object.hasOwn(item, field)))
  );
}

/** Returns the first of these fields that is a text or a whole number, as text. */
export function textField(record: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  }
  return undefined;
}

/** Types of parts that belong to the message, unlike images, tool calls, thoughts and files. */
const textTypes: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** Returns the text of content: a text, `null`, or parts such as `{"type": "text", "text": "…"}`. Throws `Unreadable` for anything else. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (isObject(content)) return partText(content);
  if (!Array.isArray(content)) throw new Unreadable('otherForm', 'the content of a message is neither text nor parts');
  return content
    .map((part: unknown) => (typeof part === 'string' ? part : isObject(part) ? partText(part) : ''))
    .filter((text) => text !== '')
    .join('\n\n');
}

function partText(part: Record<string, unknown>): string {
  return textTypes.has(part['type']) && typeof part['text'] === 'string' ? part['text'] : '';
}

export function partsOf(content: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** Roles by their names in published datasets. */
const names: ReadonlyMap<string, Role> = new Map([
  ['user', 'user'],
  ['human', 'user'],
  ['customer', 'user'],
  ['prompter', 'user'],
  ['incoming', 'user'],
  ['inbound', 'user'],
  ['assistant', 'assistant'],
  ['gpt', 'assistant'],
  ['chatgpt', 'assistant'],
  ['bing', 'assistant'],
  ['bard', 'assistant'],
  ['bot', 'assistant'],
  ['model', 'assistant'],
  ['agent', 'assistant'],
  ['outgoing', 'assistant'],
  ['outbound', 'assistant'],
  ['function_call', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['observation', 'tool'],
] as const);

/** Returns the role of a name, in any case. Throws `Unreadable` for an unknown one. */
export function roleOf(name: unknown): Role {
  const role = typeof name === 'string' ? names.get(name.trim().toLowerCase()) : undefined;
  if (role !== undefined) return role;
  throw new Unreadable('unknownRole', `a message of the role ${shown(name)}`);
}

export function isRoleName(name: unknown): boolean {
  return typeof name === 'string' && names.has(name.trim().toLowerCase());
}

const maxExcerptLength = 40;
const shown = (name: unknown): string =>
  typeof name === 'string' ? `'${nameOrLength(name, maxExcerptLength)}'` : `that is not a text (${typeof name})`;
