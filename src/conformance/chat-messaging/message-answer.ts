import { isObject } from '../../base/is-object.ts';
import { errorTexts } from '../../protocol/chat-messaging/api.ts';
import { fieldsOf, isAnswered, isTransient, describeReply, type Fields } from '../answer.ts';
import type { Answer } from '../post.ts';

/** Returns the message result in a reply, if any. */
export function dataOf(answer: Answer): Fields | undefined {
  const data = fieldsOf(answer)?.['data'];
  return isAnswered(answer) && isObject(data) ? data : undefined;
}

/** Returns the agent's text in a reply, if any. */
export function replyText(answer: Answer): string | undefined {
  const response = dataOf(answer)?.['response'];
  return typeof response === 'string' ? response : undefined;
}

/** Reports whether a body contains a text, in any member: that it is `error` is a rule of its own. */
export function contains(answer: Answer, text: string): boolean {
  return textsIn(fieldsOf(answer)).includes(text);
}

export function isProviderFailure(answer: Answer): boolean {
  return fieldsOf(answer)?.['error'] === errorTexts.provider;
}

/** Reports whether clients should retry. Source: the API description, sections 7 and 8. */
export function isWorthRetrying(answer: Answer): boolean {
  return isTransient(answer) || isProviderFailure(answer);
}

export function describeAnswer(answer: Answer): string {
  return describeReply(answer, dataOf(answer)?.['response'] ?? textsIn(fieldsOf(answer))[0]);
}

/** Returns the texts in an object, `error` first, and in the objects in it. */
function textsIn(fields: Fields | undefined): string[] {
  if (fields === undefined) return [];
  const values = [fields['error'], ...Object.values(fields)];
  const own = values.filter((value) => typeof value === 'string');
  return [
    ...own,
    ...values.filter(isObject).flatMap((inner) => Object.values(inner).filter((each) => typeof each === 'string')),
  ];
}
