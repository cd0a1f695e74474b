import { between, later, ms, type Instant, type Ms } from '../base/time.ts';
import { keyOf, randomOf } from '../plan/random.ts';
import type { AttemptClass } from '../wire/outcome.ts';
import { backoffs } from './backoff.ts';
import { classify, type Judge } from './classify.ts';
import type { GiveUp, SessionOrigin } from './observer.ts';
import { type Decision, decideRetry, useOf } from './retry.ts';
import { readRetryAfter } from './retry-after.ts';
import type { Exchange, Operation } from './send.ts';
import type { SessionStage } from './stage.ts';

/** A creation or a turn: what is sent, and how its replies are judged. */
export interface OperationPlan {
  session: SessionOrigin;
  operation: Operation;
  /** From 1; 0 for a creation. */
  turn: number;
  body: string;
  welcome: readonly number[];
  judge: Judge;
  /** The first attempt's send. */
  firstSentAt: Instant;
}

export interface OperationEnd {
  outcome: AttemptClass;
  /** What the judge took from an ok reply. */
  value: string;
  attempts: number;
  endedAt: Instant;
  backoffMs: Ms;
  /** `undefined` when it ended well or was aborted. */
  gaveUp: GiveUp | undefined;
}

/**
 * Sends an operation and, as its session's retry policy says, sends it again. The hot path of a run: one promise an
 * attempt, and nothing made for a retry before there is one.
 *
 *     send -> exchange -> class -> done
 *                           '----> backoff -> send again
 */
export async function playOperation(stage: SessionStage, planned: OperationPlan): Promise<OperationEnd> {
  const { clock, observer, brake } = stage;
  const { session, operation, turn } = planned;
  const entry = stage.policies[session.policy];
  let retries: Retries | undefined;
  let sentAt = planned.firstSentAt;
  for (let attempt = 1; ; attempt++) {
    entry?.budget?.attempt(sentAt, attempt > 1);
    const exchange = await stage.send(operation, planned.body, sentAt);
    const { outcome, detail, value } = classify(exchange, planned.welcome, planned.judge);
    observer.attempt({ session, operation, turn, countedFrom: planned.firstSentAt, outcome, exchange, detail });
    const end = {
      outcome,
      value,
      attempts: attempt,
      endedAt: exchange.endedAt,
      backoffMs: retries?.plannedMs ?? ms(0),
    };
    if (outcome === 'ok' || outcome === 'aborted') return { ...end, gaveUp: undefined };
    if (outcome === 'unauthorized' || outcome === 'forbidden') stage.breakCircuit(detail);
    retries ??= new Retries(stage, planned);
    const decision = retries.decide(outcome, attempt, exchange);
    if (decision.kind === 'give-up') return { ...end, gaveUp: decision.why };
    if (brake.reached('halt')) return { ...end, gaveUp: 'run_end' };
    const woke = await stage.sleeper.sleepUntil(later(exchange.endedAt, decision.delayMs), 'halt');
    if (!woke || brake.reached('halt')) return { ...end, outcome: 'aborted', endedAt: clock.now(), gaveUp: undefined };
    sentAt = clock.now();
    retries.tell(decision, exchange.endedAt, sentAt);
  }
}

/** What an operation needs once an attempt has failed. */
class Retries {
  plannedMs = ms(0);
  readonly #stage: SessionStage;
  readonly #planned: OperationPlan;
  #nextBackoff: (() => Ms) | undefined;

  constructor(stage: SessionStage, planned: OperationPlan) {
    this.#stage = stage;
    this.#planned = planned;
  }

  decide(outcome: AttemptClass, attempt: number, { retryAfter, endedAt }: Exchange): Decision {
    const entry = this.#stage.policies[this.#planned.session.policy];
    if (entry === undefined) return { kind: 'give-up', why: 'final' };
    return decideRetry(
      entry.policy,
      { outcome, attempt, retryAfter: readRetryAfter(retryAfter, this.#stage.clock.wallNow()) },
      { nextBackoff: () => this.#backoff(), budgetAllows: () => entry.budget?.allows(endedAt) ?? true },
    );
  }

  /** Tells the backoff that has just ended in a retry. */
  tell(decision: Decision & { kind: 'retry' }, failedAt: Instant, sentAt: Instant): void {
    const { session, operation, firstSentAt } = this.#planned;
    const actualMs = between(failedAt, sentAt);
    this.plannedMs = ms(this.plannedMs + decision.delayMs);
    this.#stage.observer.retry({
      session,
      operation,
      countedFrom: firstSentAt,
      cause: decision.cause,
      plannedMs: decision.delayMs,
      actualMs,
      retryAfter: useOf(decision.asked, actualMs),
      sentAt,
    });
  }

  /** Jitter is drawn from a stream of the session's own, so that it does not depend on other sessions. */
  #backoff(): Ms {
    const { session, turn } = this.#planned;
    const { script, plan } = this.#stage;
    const policy = plan.retry[session.policy];
    if (policy === undefined) return ms(0);
    this.#nextBackoff ??= backoffs(policy, randomOf(script.seed, backoffKey, turn, session.number));
    return this.#nextBackoff();
  }
}

const backoffKey = keyOf('backoff');
