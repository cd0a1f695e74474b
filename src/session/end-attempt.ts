import type { Ms } from '../base/time.ts';
import { promiseError } from './check-reply.ts';
import { isRefusal } from './is-refusal.ts';
import { contextOf, judgeAttempt, type JudgedAttempt } from './judge-attempt.ts';
import type { AttemptRecord } from './observer.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import { costError, type Price } from './price-reply.ts';
import { recordFinding } from './record-finding.ts';
import type { Exchange } from './send.ts';
import { mayBeExpired } from './may-be-expired.ts';
import { withoutValues } from './without-values.ts';
import type { AttemptListeners, Bounds, Sending, Workload } from './session-context.ts';

interface EndedAttempt {
  exchange: Exchange;
  /** Made so far, this one included. */
  attempts: number;
  /** Planned for the backoffs before it. */
  backoffMs: Ms;
  /** The same backoffs as measured. */
  lostMs: Ms;
  /** How many of the attempts were made because a token had ended. */
  renewals?: number;
}

/** Judges an attempt, and reports the findings. Returns the end of the operation if no retry follows. */
export function endAttempt(
  context: Workload & Bounds & AttemptListeners & Pick<Sending, 'access'>,
  planned: OperationPlan,
  ended: EndedAttempt,
): OperationEnd {
  const { exchange, attempts, backoffMs, lostMs } = ended;
  const judged = judgeAttempt(context.script, planned, exchange);
  const { outcome, reply } = judged;
  // The texts of checks are the author's.
  const detail = outcome === 'check_failed' ? judged.detail : withoutValues(judged.detail, planned.variableValues);
  const costMillionths = judged.price === undefined ? 0 : spend(context, planned, judged.price);
  const { finding } = judged;
  if (finding !== undefined) recordFinding(context.observer, planned, { finding, endedAt: exchange.endedAt });
  if (judged.promisedCheck !== undefined) context.abandon(promiseError(judged.promisedCheck, contextOf(planned)));
  if (outcome !== 'ok') planned.guard?.attemptFailed(planned.messageNumber, outcome);
  const record = recordOf(planned, { ...judged, detail }, { ended, costMillionths });
  if (mayBeExpired(context, { outcome, sentAt: exchange.sentAt }, ended.renewals ?? 0)) reportRefused(context, record);
  else reportAttempt(context, record);
  const leftText = outcome === 'abandoned' ? (exchange.stream?.text ?? '') : '';
  const { endedAt, content } = exchange;
  return { outcome, detail, reply, attempts, endedAt, backoffMs, lostMs, gaveUp: undefined, content, leftText };
}

/** Adds up a price: millionths of the scenario's currency. One that could not be had ends the run. */
function spend(
  { spending, abandon }: Pick<Bounds & AttemptListeners, 'spending' | 'abandon'>,
  planned: OperationPlan,
  price: Price,
): number {
  if ('cost' in price) return spending.add(price.cost);
  abandon(costError(planned, price.problem));
  return 0;
}

function recordOf(
  { session, operation, turn, message, request, firstSentAt, head }: OperationPlan,
  { outcome, detail, kept }: JudgedAttempt,
  { ended, costMillionths }: { ended: EndedAttempt; costMillionths: number },
): AttemptRecord {
  return {
    session,
    operation,
    turn,
    attempt: ended.attempts,
    countedFrom: firstSentAt,
    outcome,
    exchange: ended.exchange,
    detail,
    message,
    traceId: head?.traceId,
    costMillionths,
    requestBytes: request.bodyBytes,
    usage: kept?.usage,
    lacksDone: kept?.lacksDone,
  };
}

/** A token that had ended says nothing of the service, and breaks no circuit. */
function reportRefused({ observer, watchdog }: AttemptListeners, record: AttemptRecord): void {
  observer.attempt(record);
  watchdog.attemptEnded(record);
}

function reportAttempt(context: AttemptListeners, record: AttemptRecord): void {
  const { operation, outcome, detail, session } = record;
  context.observer.attempt(record);
  context.watchdog.attemptEnded(record);
  if (outcome === 'ok') context.fitness[operation].isFit();
  if (isRefusal(context.policies, session, outcome)) context.throttle.refused(operation);
  else if (outcome === 'ok' || outcome === 'check_failed') context.throttle.wentWell(operation);
  if (outcome === 'unauthorized' || outcome === 'forbidden') context.breakCircuit(detail);
}
