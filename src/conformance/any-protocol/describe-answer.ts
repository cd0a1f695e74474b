import { errorMessage } from '../../protocol/error-message.ts';
import { describeReply, fieldsOf } from '../answer.ts';
import type { Answer } from '../exchanges.ts';

/** Describes a response by the number of its events, its error, or its body if that is not JSON. */
export function describe(answer: Answer): string {
  if (answer.events !== undefined && answer.failure === undefined)
    return `${String(answer.status)}, ${String(answer.events.length)} events`;
  const message = errorMessage(fieldsOf(answer), '');
  return describeReply(answer, message === '' ? undefined : message);
}
