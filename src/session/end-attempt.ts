import type { Ms, Instant } from '../base/time.ts';
import { promiseError, contextOf, judgeAttempt, type JudgedAttempt } from './judge-attempt.ts';
import { judgeEmpty } from './judge-fitness.ts';
import { costError } from './price-attempt.ts';
import { isRefusal, mayBeExpired } from './retry.ts';
import type { ComparedTexts } from './cache-watch.ts';
import { losesConversation, type EndedMessage } from './lost-conversation.ts';
import type { AttemptRecord, AttemptSigns, Observer } from './observer.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import { isAmbiguous, type Exchange } from './send.ts';
import type { SessionContext } from './session-context.ts';
import type { Finding } from './integrity/finding.ts';
import { isObject } from '../base/is-object.ts';
import type { RetryPolicy } from '../plan/plan.ts';
import { isEmptyReply } from '../protocol/empty-reply.ts';
import { isFailure, type AttemptClass } from '../protocol/outcome.ts';
import type { Reply } from '../protocol/protocol.ts';
import { noWait, readStatedWait, type StatedWait } from './stated-wait.ts';
import { explainConflict, noteEnd } from './unfinished.ts';

interface EndedAttempt {
  exchange: Exchange;
  /** Number of attempts so far, this one included. */
  attempts: number;
  /** Planned durations of the backoffs before it. */
  backoffMs: Ms;
  /** Measured durations of these backoffs. */
  lostMs: Ms;
  /** Known cost of the attempts before it. */
  costNanos?: number;
  /** Number of attempts retried because of an expired token. */
  renewals?: number;
  /** True if an attempt was retried with what it lacked. */
  isResent?: boolean;
}

/** Judges an attempt, and reports the findings. Returns the end of the operation if no retry follows. */
export function endAttempt(context: SessionContext, planned: OperationPlan, ended: EndedAttempt): OperationEnd {
  const { exchange, attempts, backoffMs, lostMs, renewals = 0, isResent = false } = ended;
  if (exchange.setsCookie === true && context.guard !== undefined) context.guard.ignoresCookies = true;
  const policy = context.policies[planned.session.policy]?.policy;
  const judged = judgeAttempt(context.script, planned, exchange);
  const { outcome, reply, finding } = judged;
  exchange.retryAfter ??= judged.retryAfter;
  const asked = isFailure(outcome) ? readStatedWait(exchange, outcome, context.clock.wallNow()) : noWait;
  const { unfinished } = planned.session;
  const detail = detailOf(planned, judged, exchange);
  if (planned.operation === 'message') noteEnd(planned.session, outcome, exchange.status);
  const { price: found } = judged;
  const price = found === undefined || 'problem' in found ? undefined : context.spending.add(found);
  if (found !== undefined && 'problem' in found) context.abandon(costError(planned, found.problem));
  if (finding !== undefined) recordFinding(context.observer, planned, { finding, endedAt: exchange.endedAt });
  if (judged.promisedCheck !== undefined) context.abandon(promiseError(judged.promisedCheck, contextOf(planned)));
  if (outcome !== 'ok' && outcome !== 'aborted') {
    planned.guard?.attemptFailed(planned.messageNumber, policy?.idempotent !== true && isAmbiguous(outcome, exchange));
  }
  const record: AttemptRecord = {
    session: planned.session,
    operation: planned.operation,
    turn: planned.turn,
    attempt: attempts,
    countedFrom: planned.firstSentAt,
    outcome,
    exchange,
    detail,
    message: planned.message,
    traceId: planned.head?.traceId,
    price,
    requestBytes: planned.request.bodyBytes,
    usage: judged.kept?.usage ?? judged.spent?.usage,
    lacksDone: judged.kept?.lacksDone,
    notes: judged.kept?.notes,
    followsUnfinished: unfinished !== undefined,
    unreadWait: unreadBy(policy, outcome, asked),
    signs: signsOf(context, planned, { exchange, outcome, detail, failed: finding?.failed }),
  };
  context.observer.attempt(record);
  context.watchdog.attemptEnded(record);
  const canResend = judged.canResend === true && !isResent;
  // An expired token is not a failure of the service and does not break the circuit; neither is a lost conversation.
  if (!canResend && !mayBeExpired(context, { outcome, sentAt: exchange.sentAt }, renewals))
    judgeTarget(context, planned, { record, reply });
  const leftText = outcome === 'abandoned' ? (exchange.stream?.text ?? '') : '';
  const { endedAt, content } = exchange;
  const costNanos = (ended.costNanos ?? 0) + (price?.nanos ?? 0);
  return {
    outcome,
    detail,
    reply,
    attempts,
    endedAt,
    backoffMs,
    lostMs,
    costNanos,
    gaveUp: undefined,
    content,
    leftText,
    canResend,
    asked,
  };
}

/** Returns the reason of a failed attempt; '' for an ok one. */
function detailOf(planned: OperationPlan, { outcome, detail }: JudgedAttempt, exchange: Exchange): string {
  // The texts of checks are written by the author.
  if (outcome === 'ok' || outcome === 'check_failed') return detail;
  const text = withoutValues(detail, planned.variableValues);
  return explainConflict(text, { outcome, exchange }, planned.session.unfinished);
}

/** Reports whether the service has had the conversation of a message: it has named its session, or replied to an earlier turn. */
function isKnownTo({ script }: SessionContext, { turn, session }: OperationPlan): boolean {
  return script.protocol.history !== 'client' && (turn > 1 || session.id !== undefined);
}

interface EndedExchange extends Omit<EndedMessage, 'isKnown'> {
  exchange: Exchange;
}

/** Returns the observations for the warnings of the run; `undefined`: none. */
function signsOf(
  context: SessionContext,
  planned: OperationPlan,
  { exchange, outcome, detail, failed }: EndedExchange,
): AttemptSigns | undefined {
  const { setsCookie = false, sentAt, endedAt } = exchange;
  const isMessage = planned.operation === 'message';
  const isOk = isMessage && outcome === 'ok';
  const cacheMark = isOk ? exchange.cacheMark : undefined;
  const comparedTexts =
    isOk && planned.turn === 1 ? context.caches.begun(planned.message, { sentAt, endedAt }) : noTexts;
  const cookiesDropped = planned.head?.takeDropped() ?? 0;
  const isLostConversation =
    isMessage && !isOk && losesConversation({ outcome, detail, failed, isKnown: isKnownTo(context, planned) });
  const isNothing = !setsCookie && !isLostConversation && cacheMark === undefined && cookiesDropped === 0;
  if (isNothing && comparedTexts.length === 0) return undefined;
  return { ignoresCookie: setsCookie, isLostConversation, cookiesDropped, cacheMark, comparedTexts };
}

const noTexts: readonly ComparedTexts[] = [];

/** Returns the field of an unreadable wait that a retry would have waited for; `undefined`: there is none. */
function unreadBy(policy: RetryPolicy | undefined, outcome: AttemptClass, asked: StatedWait): string | undefined {
  if (asked.kind !== 'invalid' || outcome === 'aborted') return undefined;
  return policy?.classes.includes(outcome) === true ? asked.unread : undefined;
}

/** Reports whether an ok reply shows that the target answers; empty ones at the start of a run end it. */
function isFitReply(
  context: SessionContext,
  planned: OperationPlan,
  { exchange, reply }: { exchange: Exchange; reply: Reply | undefined },
): boolean {
  if (planned.operation === 'create' || reply === undefined || !isEmptyReply(reply)) return true;
  judgeEmpty(context, planned, exchange);
  return false;
}

function judgeTarget(
  context: SessionContext,
  planned: OperationPlan,
  { record, reply }: { record: AttemptRecord; reply: Reply | undefined },
): void {
  const { operation, outcome, detail, session, exchange } = record;
  const fitness = context.fitness[operation];
  if (outcome === 'ok' && !fitness.isKnown && isFitReply(context, planned, { exchange, reply })) fitness.isFit();
  if (isRefusal(context.policies, session, outcome)) context.throttle.refused(operation);
  else if (outcome === 'ok' || outcome === 'check_failed') context.throttle.succeeded(operation);
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
const minValueLength = 8;

/** Removes quoted values of variables from a service's text; `variableValues`: JSON text, or '' for none. */
function withoutValues(text: string, variableValues: string): string {
  if (text === '' || variableValues === '') return text;
  return textsIn(JSON.parse(variableValues))
    .flatMap(formsOf)
    .filter((form) => form.length >= minValueLength)
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
