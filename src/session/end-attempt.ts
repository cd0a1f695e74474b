import type { Ms, Instant } from '../base/time.ts';
import { promiseError, costError, type Price, contextOf, judgeAttempt, type JudgedAttempt } from './judge-attempt.ts';
import { isRefusal, mayBeExpired } from './retry.ts';
import type { AttemptRecord, Observer } from './observer.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import type { Exchange } from './send.ts';
import type { AttemptListeners, Bounds, Sending, Workload } from './session-context.ts';
import type { Finding } from './integrity/finding.ts';
import { isObject } from '../base/is-object.ts';

interface EndedAttempt {
  exchange: Exchange;
  /** Made so far, this one included. */
  attempts: number;
  /** Planned for the backoffs before it. */
  backoffMs: Ms;
  /** Measured durations of these backoffs. */
  lostMs: Ms;
  /** Number of attempts retried because of an expired token. */
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

/** An expired token is not a failure of the service and does not break the circuit. */
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

/** Reports the guard's finding on a reply. Not composed from helpers, because it runs for every reply. */
function recordFinding(
  observer: Pick<Observer, 'integrity'>,
  { session, turn, messageNumber, firstSentAt }: OperationPlan,
  { finding, endedAt }: { finding: Finding; endedAt: Instant },
): void {
  const { recall } = finding;
  observer.integrity({
    session,
    turn,
    countedFrom: firstSentAt,
    endedAt,
    checked: finding.checked,
    failed: finding.failed,
    detail: finding.detail,
    untagged: finding.untagged,
    turnsBetween: recall === undefined ? undefined : messageNumber - recall.sinceTurn,
    retriesBetween: recall?.retries,
    idleMs: recall?.idleMs,
    turnFaults: finding.turnFaults,
    afterAmbiguousRetry: finding.afterAmbiguousRetry,
  });
}

/** Shorter values are ordinary words and numbers. */
const shortestValue = 8;

/** Returns the words of a service without the values of variables that it quotes; `variableValues`: JSON text, or '' for none. */
function withoutValues(text: string, variableValues: string): string {
  if (text === '' || variableValues === '') return text;
  return textsIn(JSON.parse(variableValues))
    .flatMap(formsOf)
    .filter((form) => form.length >= shortestValue)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, form) => rest.replaceAll(form, '[variable]'), text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Forms of the key: as it is, on one line, and in a JSON string. */
const formsOf = (value: string): string[] => [
  value,
  value.replace(/\s+/g, ' ').trim(),
  JSON.stringify(value).slice(1, -1),
];
