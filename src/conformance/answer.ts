import { isObject } from '../base/is-object.ts';
import { errorTexts } from '../protocol/chat-messaging/api.ts';
import type { Answer } from './post.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The JSON object in a body; `undefined` when it holds none. */
export function fieldsOf({ body }: Pick<Answer, 'body'>): Fields | undefined {
  try {
    const read: unknown = JSON.parse(body);
    return isObject(read) ? read : undefined;
  } catch {
    // A body that is not JSON is one of the things a rule may see.
    return undefined;
  }
}

/** The message result in a reply; `undefined` when there is none. */
export function dataOf(answer: Answer): Fields | undefined {
  const data = fieldsOf(answer)?.['data'];
  return isAnswered(answer) && isObject(data) ? data : undefined;
}

/** The agent's words; `undefined` when the reply holds none. */
export function replyText(answer: Answer): string | undefined {
  const response = dataOf(answer)?.['response'];
  return typeof response === 'string' ? response : undefined;
}

/** Any status of success: that it is 200 is a rule of its own. */
export function isAnswered({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Whether a body says a text, in whatever member: that it is `error` is a rule of its own. */
export function says(answer: Answer, text: string): boolean {
  return textsIn(fieldsOf(answer)).includes(text);
}

export function isProviderFailure(answer: Answer): boolean {
  return fieldsOf(answer)?.['error'] === errorTexts.provider;
}

/** The statuses that clients should retry: 429 and 5xx. Source: the API description, sections 7 and 8. */
export function isTransient(answer: Answer): boolean {
  return answer.status === 429 || answer.status >= 500 || isProviderFailure(answer);
}

/** An answer in words. */
export function describeAnswer(answer: Answer): string {
  if (answer.failure !== undefined) return `no complete response: ${answer.detail}`;
  const said = dataOf(answer)?.['response'] ?? textsIn(fieldsOf(answer))[0];
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

/** The texts in an object, `error` first, and those of the objects in it. */
function textsIn(fields: Fields | undefined): string[] {
  if (fields === undefined) return [];
  const values = [fields['error'], ...Object.values(fields)];
  const own = values.filter((value) => typeof value === 'string');
  return [
    ...own,
    ...values.filter(isObject).flatMap((inner) => Object.values(inner).filter((each) => typeof each === 'string')),
  ];
}
