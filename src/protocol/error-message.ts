import { isObject } from '../base/is-object.ts';

/** It is shown much shorter, after redaction, which costs time by its length and finds a secret that is cut at its end, too. */
const maxMessageLength = 64_000;

/**
 * Returns the service's own message of a failure, on one line: the usual fields of a JSON error (`error.message`,
 * `error`, `message`, `detail`, `errors`, `reason`, `title`), the title of a page, or the first line of a text; '' if there is
 * none. The message is raw: it must be redacted, escaped and cut before it is shown.
 */
export function errorMessage(json: unknown, body = ''): string {
  const text = json === undefined ? ofText(body.slice(0, maxMessageLength)) : ofJson(json);
  return text.slice(0, maxMessageLength).replace(/\s+/g, ' ').trim();
}

/** Quotes the first line, or the title, of a text that cannot be read, to be redacted and cut like a message; '' for an empty one. */
export function quoteText(text: string): string {
  const line = errorMessage(undefined, text);
  return line === '' ? '' : `: '${line}'`;
}

const fields = ['error', 'message', 'detail', 'errors', 'error_description', 'msg', 'reason', 'title'];

function ofJson(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (depth > 3) return '';
  if (Array.isArray(value)) return ofJson(value[0], depth + 1);
  if (!isObject(value)) return '';
  // If an error is an object, its message precedes its type or title.
  const texts = fields.map((field) => ofJson(value[field], depth + 1));
  return texts.find((text) => text !== '') ?? '';
}

function ofText(body: string): string {
  if (body.trimStart().startsWith('<')) return /<title>([^<]*)<\/title>/i.exec(body)?.[1] ?? '';
  return body.split(/[\r\n]/, 1)[0] ?? '';
}

/** Returns a status and the service's message, as in `status 404: no such agent`. */
export function describeStatus(status: number, json: unknown, body = ''): string {
  const message = errorMessage(json, body);
  return `status ${String(status)}${message === '' ? '' : `: ${message}`}`;
}
