import { countOf } from '../../base/format.ts';
import { errorIn } from '../../protocol/model-api/api-error.ts';
import { describeReply, fieldsOf } from '../answer.ts';
import type { Answer } from '../exchanges.ts';
import type { Dialect } from './dialect.ts';

/** Describes a reply by its events, its error, or its body if that is not JSON. */
export function describe(answer: Answer): string {
  if (answer.events !== undefined && answer.failure === undefined)
    return `${String(answer.status)}, ${countOf(answer.events.length, 'event')}`;
  return describeReply(answer, errorIn(fieldsOf(answer))?.message);
}

/** Returns the text of a reply, if it can be read. */
export function textOf({ judge }: Dialect, answer: Answer): string | undefined {
  const judged = judge(fieldsOf(answer) ?? {});
  return 'reply' in judged ? judged.reply.text : undefined;
}
