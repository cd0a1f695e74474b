import { isObject } from '../../base/is-object.ts';
import { messageOf } from '../../base/errors.ts';
import { sendableText } from '../../base/json.ts';
import type { HeaderFields, ProtocolTarget } from '../protocol.ts';
import { describeKind } from '../describe-found.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import type { MessageParts, ApiDefinition } from './definition.ts';
import { headerProblem, withFields, withoutField } from './header-fields.ts';
import { unknownName } from '../../base/unknown-name.ts';

/** Composes requests of turns, for all conversations with a target. Throws `AuthorError`. */
export type ComposeMessage = (parts: MessageParts) => { path: string; headers: HeaderFields; body: string };

export function messageComposer(
  { message }: Pick<ApiDefinition, 'message'>,
  target: ProtocolTarget,
  usual: HeaderFields,
): ComposeMessage {
  const given = target.messagesPath ?? message.path;
  const { headers: own = {}, body } = message;
  // Some services refuse an empty body that is declared as JSON.
  const base = body === undefined ? withoutField(usual, 'content-type') : usual;
  const fixed = typeof own === 'function' || hasPlaceholder(own) ? undefined : withFields(base, own);
  return (parts) => ({
    path:
      typeof given === 'string'
        ? fillPath(given, parts)
        : checkPath(
            'message.path',
            callAuthor('message.path', () => given(parts)),
          ),
    headers: fixed ?? withFields(base, headersOf('message.headers', own, parts, ['authorization'])),
    body:
      body === undefined
        ? ''
        : bodyText(
            'message.body',
            callAuthor('message.body', () => body(parts)),
            target.messageBody,
          ),
  });
}

const hasPlaceholder = (fields: HeaderFields): boolean => Object.values(fields).some((value) => value.includes('{{'));

/** Returns a function's path; `name`: path of the function in the definition. */
export function checkPath(name: string, path: unknown): string {
  if (typeof path === 'string' && path.startsWith('/')) return path;
  throw new AuthorError(name, 'returned a value that is not text that begins with /');
}

/** Returns the header fields of an author; `name`: their path in the definition. */
export function headersOf<Parts extends Ids>(
  name: string,
  own: HeaderFields | ((parts: Parts) => HeaderFields),
  parts: Parts,
  allowed: readonly string[] = [],
): HeaderFields {
  const made =
    typeof own === 'function'
      ? callAuthor(name, () => own(parts))
      : Object.fromEntries(Object.entries(own).map(([field, value]) => [field, fillIds(value, parts)]));
  const problem = headerProblem(made, allowed);
  if (problem !== undefined) throw new AuthorError(name, problem);
  return made;
}

/** Fills in ids, encoded for a path. */
export function fillPath(path: string, ids: Ids): string {
  return path.includes('{{') ? fillIds(path, ids, encodeURIComponent) : path;
}

/** Serializes a function's result; `more` are fields of the scenario that override its fields. */
export function bodyText(name: string, made: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  if (typeof made === 'string') return made;
  const text = jsonOf(name, isObject(made) ? { ...made, ...more } : made);
  if (text !== undefined) return text;
  throw new AuthorError(
    name,
    made === undefined ? nothing : `returned a value that is ${describeKind(made)}, which JSON cannot represent`,
  );
}

const nothing = 'returned nothing to send: put an object returned by an arrow function in parentheses';

function jsonOf(name: string, made: unknown): string | undefined {
  try {
    return sendableText(made);
  } catch (thrown) {
    throw new AuthorError(name, `returned a value that cannot be sent: ${messageOf(thrown)}`);
  }
}

/** Values of placeholders in a definition. */
export interface Ids {
  readonly agentId: string;
  readonly sessionId?: string;
  /** Values that the creation of the session returned. */
  readonly values?: Readonly<Record<string, string>>;
  /** Filled in by the sender. */
  readonly apiKey?: string;
}

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Describes an invalid placeholder of a text, if any. */
export function placeholderProblem(text: string, known: readonly string[]): string | undefined {
  const wrong = namesIn(text).find((name) => !known.includes(name));
  return wrong === undefined ? undefined : unknownName('name', wrong, known);
}

/** Returns the names of the placeholders of a text. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name);
}

/** Fills in the ids. */
function fillIds(text: string, ids: Ids, encode: (id: string) => string = (id) => id): string {
  return fillNames(text, (name) => (name === 'apiKey' ? undefined : encode(valueOf(name, ids))));
}

/** Replaces placeholders by their values; `undefined`: it stays. */
export function fillNames(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replace(placeholder, (whole, name: string) => valueOf(name) ?? whole);
}

function valueOf(name: string, { agentId, sessionId = '', values = {} }: Ids): string {
  if (name === 'agentId') return agentId;
  return name.startsWith(valuePrefix) ? (values[name.slice(valuePrefix.length)] ?? '') : sessionId;
}

/** Begins the names of the values of a creation. */
export const valuePrefix = 'values.';
