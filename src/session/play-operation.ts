import { ms } from '../base/time.ts';
import { isFailure } from '../protocol/outcome.ts';
import { endAttempt } from './end-attempt.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import { playRetries } from './play-retries.ts';
import type { Exchange } from './send.ts';
import { sendAttempt, type Attempting } from './send-attempt.ts';
import type { OperationContext, Sending } from './session-context.ts';

/** Makes the first attempt. What comes of it goes to `conclude`. */
export function sendFirst(context: Sending & Attempting, planned: OperationPlan): Promise<Exchange> {
  context.policies[planned.session.policy]?.budget?.attempt(planned.firstSentAt);
  return sendAttempt(context, planned, planned.firstSentAt);
}

/**
 * What the first attempt leads to: the end of the operation, or, as its session's retry policy says, more attempts. A
 * run waits in thousands of sessions at once for first attempts, nearly all of which are ok: so that none of them
 * keeps more than a promise meanwhile, the waiting is done by the session, and nothing is made for a retry before
 * there is one.
 *
 *     send -> exchange -> class -> done
 *                           '----> backoff -> send again
 */
export function endOperation(
  context: OperationContext,
  planned: OperationPlan,
  exchange: Exchange,
): OperationEnd | Promise<OperationEnd> {
  const end = endAttempt(context, planned, { exchange, attempts: 1, backoffMs: ms(0), lostMs: ms(0) });
  return isFailure(end.outcome) ? playRetries(context, planned, { end, exchange }) : end;
}
