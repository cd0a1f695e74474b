import { parseJson } from '../base/json.ts';
import { isObject } from '../base/is-object.ts';
import type { Answer } from './post.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The JSON object in a body; `undefined` when it holds none. */
export function fieldsOf({ body }: Pick<Answer, 'body'>): Fields | undefined {
  return objectIn(body);
}

/** The JSON object in a text; `undefined` when it holds none. */
export function objectIn(text: string): Fields | undefined {
  try {
    const read: unknown = parseJson(text);
    return isObject(read) ? read : undefined;
  } catch {
    // A text that is not JSON is one of the things a rule may see.
    return undefined;
  }
}

/** Any status of success: that it is 200 is a rule of its own. */
export function isAnswered({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** The statuses that clients should retry: 429 and 5xx. */
export function isTransient({ status }: Answer): boolean {
  return status === 429 || status >= 500;
}

/** An answer in words: what was said in it, or the body of one that is not JSON. */
export function wordAnswer(answer: Answer, said: unknown): string {
  if (answer.failure !== undefined) return `no complete response: ${answer.detail}`;
  const text = typeof said === 'string' ? said : fieldsOf(answer) === undefined ? answer.body : undefined;
  return `${String(answer.status)}${text === undefined || text === '' ? '' : ` "${text}"`}`;
}

/** A value in words. Not as JSON, whose escapes would hide a key from the redaction. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return `"${value}"`;
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}

/** Whether a text holds a word, whatever its case. */
export function holds(text: string | undefined, word: string): boolean {
  return text?.toLowerCase().includes(word.toLowerCase()) ?? false;
}
