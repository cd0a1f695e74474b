import { between, later, ms, type Instant, type Ms } from '../base/time.ts';
import { keyOf, randomOf } from '../base/random.ts';
import type { RetryPolicy } from '../plan/plan.ts';
import { backoffs, mayBeExpired, type Decision, decideRetry, useOf } from './retry.ts';
import { isFailure } from '../protocol/outcome.ts';
import { endAttempt } from './end-attempt.ts';
import { judgeFitness } from './judge-fitness.ts';
import type { GiveUp } from './observer.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import type { Exchange } from './send.ts';
import { sendAttempt } from './send-attempt.ts';
import type { SessionContext } from './session-context.ts';
import { noWait } from './stated-wait.ts';

/** Retries of one failed operation, with backoffs, as long as its session's retry policy allows them. */
export class Retries {
  readonly #context: SessionContext;
  readonly #planned: OperationPlan;
  #nextBackoff: (() => Ms) | undefined;
  /** Number of attempts made because a token had expired. */
  #renewals = 0;
  #isResent = false;

  constructor(context: SessionContext, planned: OperationPlan) {
    this.#context = context;
    this.#planned = planned;
  }

  /** Runs the attempts after the first, which has failed. */
  async play(firstEnd: OperationEnd, firstExchange: Exchange): Promise<OperationEnd> {
    const { stopSignal, sleeper, clock } = this.#context;
    let end = firstEnd;
    let exchange = firstExchange;
    while (isFailure(end.outcome)) {
      const renewal = this.#context.access === undefined ? undefined : await this.#renew(end, exchange);
      const decision = renewal ?? this.#resend(end) ?? this.#decide(end, exchange);
      if (decision === 'halted') return { ...end, outcome: 'aborted', endedAt: clock.now(), gaveUp: 'run_end' };
      if (decision.kind === 'give-up') return this.#giveUp(end, exchange, decision.why);
      if (stopSignal.reached('halt')) return this.#giveUp(end, exchange, 'run_end');
      const woke = await sleeper.sleepUntil(later(exchange.endedAt, decision.delayMs), 'halt');
      if (!woke || stopSignal.reached('halt') || !this.#take())
        return { ...end, outcome: 'aborted', endedAt: clock.now(), gaveUp: 'run_end' };
      const sentAt = clock.now();
      const actualMs = between(exchange.endedAt, sentAt);
      this.#record(decision, exchange, { actualMs, sentAt });
      this.#entry?.budget?.attempt(sentAt);
      exchange = await sendAttempt(this.#context, this.#planned, sentAt);
      end = endAttempt(this.#context, this.#planned, {
        exchange,
        attempts: end.attempts + 1,
        backoffMs: ms(end.backoffMs + decision.delayMs),
        lostMs: ms(end.lostMs + actualMs),
        costNanos: end.costNanos,
        renewals: this.#renewals,
        isResent: this.#isResent,
      });
    }
    return end;
  }

  /** Ends the operation with the class of its last attempt. */
  #giveUp(end: OperationEnd, exchange: Exchange, gaveUp: GiveUp): OperationEnd {
    judgeFitness(this.#context, this.#planned, { end, exchange });
    return { ...end, gaveUp };
  }

  /** Decides after an attempt whose token may have expired: retries as soon as there is a new token. `undefined`: it had not expired. */
  async #renew({ outcome }: OperationEnd, { sentAt }: Exchange): Promise<Decision | 'halted' | undefined> {
    const { access, stopSignal } = this.#context;
    if (access === undefined || !mayBeExpired(this.#context, { outcome, sentAt }, this.#renewals)) return undefined;
    const isRenewed = await this.#unlessHalted(access.renewedSince(sentAt));
    if (stopSignal.reached('halt')) return 'halted';
    if (isRenewed !== true) {
      this.#context.breakCircuit(refusedToken);
      return undefined;
    }
    this.#renewals++;
    access.retried();
    return { kind: 'retry', cause: 'unauthorized', delayMs: ms(0), asked: noWait };
  }

  /** Decides after an attempt that lacked something that the next one sends: it is retried at once. `undefined`: it lacked nothing. */
  #resend({ outcome, canResend }: OperationEnd): Decision | undefined {
    if (canResend !== true || !isFailure(outcome)) return undefined;
    this.#isResent = true;
    return { kind: 'retry', cause: outcome, delayMs: ms(0), asked: noWait };
  }

  #unlessHalted<Made>(awaited: Promise<Made>): Promise<Made | undefined> {
    return new Promise((resolve) => {
      const cancel = this.#context.stopSignal.when('halt', () => resolve(undefined));
      void awaited.then((made) => {
        cancel();
        resolve(made);
      });
    });
  }

  #take(): boolean {
    const { quota } = this.#context;
    return this.#planned.operation === 'create' ? quota.takeSession() : quota.takeTurn();
  }

  get #entry(): SessionContext['policies'][number] | undefined {
    return this.#context.policies[this.#planned.session.policy];
  }

  #decide({ outcome, attempts, asked }: OperationEnd, { endedAt }: Exchange): Decision {
    const entry = this.#entry;
    if (entry === undefined || outcome === 'aborted') return { kind: 'give-up', why: 'final' };
    return decideRetry(
      entry.policy,
      { outcome, attempt: attempts, asked },
      { nextBackoff: () => this.#backoff(entry.policy), budgetGrants: () => entry.budget?.grant(endedAt) ?? true },
    );
  }

  /** Reports the backoff that has just ended in a retry. */
  #record(
    decision: Decision & { kind: 'retry' },
    failed: Exchange,
    { actualMs, sentAt }: { actualMs: Ms; sentAt: Instant },
  ): void {
    const { session, operation, firstSentAt } = this.#planned;
    this.#context.observer.retry({
      session,
      operation,
      countedFrom: firstSentAt,
      cause: decision.cause,
      plannedMs: decision.delayMs,
      actualMs,
      retryAfter: useOf(decision.asked, actualMs),
      sentAt,
      afterContent: failed.content !== undefined,
      isAmbiguous: this.#entry?.policy.idempotent === true ? false : failed.hasSentFrames,
    });
  }

  /** Draws a backoff from a random stream of the session, so that it does not depend on other sessions. */
  #backoff(policy: RetryPolicy): Ms {
    const { session, turn } = this.#planned;
    const { seed } = this.#context.script;
    this.#nextBackoff ??= backoffs(policy, randomOf(seed, backoffKey, turn, session.number));
    return this.#nextBackoff();
  }
}

const refusedToken = 'status 401 for the token, and its source returned no other token';
const backoffKey = keyOf('backoff');
