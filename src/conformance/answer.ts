import { jsonObjectIn } from '../base/json.ts';
import type { Answer } from './exchanges.ts';
import type { Observation } from './rule.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the JSON object in a body, if any. */
export function fieldsOf({ body }: Pick<Answer, 'body'>): Fields | undefined {
  return jsonObjectIn(body);
}

/** Reports any success status, and an open socket; a separate rule requires 200. */
export function isAnswered({ status }: Answer): boolean {
  return status === 101 || (status >= 200 && status < 300);
}

/** Reports a status that clients should retry: 429 and 5xx. */
export function isTransient({ status }: Answer): boolean {
  return status === 429 || status >= 500;
}

/** Describes a reply by a text in it, or by its body if that is not JSON. */
export function describeReply(answer: Answer, text: unknown): string {
  if (answer.failure !== undefined) return `no complete response: ${answer.detail}`;
  const quoted = typeof text === 'string' ? text : fieldsOf(answer) === undefined ? answer.body : '';
  return `${String(answer.status)}${quoted === '' ? '' : ` "${quoted}"`}`;
}

/** Formats a value, but not as JSON, whose escapes would hide a key from the redaction. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return `"${value}"`;
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}

/** Reports whether a text contains a word, in any case. */
export function holds(text: string | undefined, word: string): boolean {
  return text?.toLowerCase().includes(word.toLowerCase()) ?? false;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Observes whether the body of a reply is a JSON object. */
export function observeJson(answer: Answer, otherwise: string): Observation {
  const conforms = fieldsOf(answer) !== undefined;
  return { conforms, seen: conforms ? 'a JSON object' : otherwise };
}

/** Observes whether two ids differ. */
export function observeDistinct(first: string, second: string): Observation {
  return { conforms: first !== second, seen: first === second ? `twice ${show(first)}` : 'two different ones' };
}

export function describeType(contentType: string): string {
  return contentType === '' ? 'no Content-Type' : contentType;
}

/** Tolerance for differences between the clocks of machines. */
const toleranceMs = 5 * 60_000;

/** Reports whether a time is within 5 minutes of an exchange. */
export function isTimeOf({ sentAtMs, endedAtMs }: Answer, atMs: number): boolean {
  return atMs >= sentAtMs - toleranceMs && atMs <= endedAtMs + toleranceMs;
}
