import { ms, type Ms, type Instant } from '../base/time.ts';
import type { RetryPolicy } from '../plan/plan.ts';
import { type AttemptClass, attemptClasses, type FinishedClass, traitsOf } from '../protocol/outcome.ts';
import type { GiveUp, RetryAfterUse, SessionOrigin } from './observer.ts';
import type { Access } from '../plan/resolve-auth.ts';
import type { Exchange } from './send.ts';
import type { StatedWait } from './stated-wait.ts';
import type { Random } from '../base/random.ts';

/** Retry after a wait, or not and why. */
export type Decision =
  | { kind: 'retry'; cause: FinishedClass; delayMs: Ms; /** Wait that the failed attempt stated. */ asked: StatedWait }
  | { kind: 'give-up'; why: GiveUp };

interface FailedAttempt {
  outcome: AttemptClass;
  /** From 1. */
  attempt: number;
  asked: StatedWait;
}

/**
 * Decides whether a failed attempt is retried. `nextBackoff` and `budgetGrants` are only called if all other conditions
 * hold. A stated wait counts on any retried class: the wait is the larger of the two, which `cap` does not limit.
 */
export function decideRetry(
  policy: RetryPolicy,
  { outcome, attempt, asked: stated }: FailedAttempt,
  { nextBackoff, budgetGrants }: { nextBackoff: () => Ms; budgetGrants: () => boolean },
): Decision {
  if (!isFinished(outcome) || !policy.classes.includes(outcome)) return { kind: 'give-up', why: 'final' };
  // A rejected key has broken the circuit, regardless of the policy; this, not the end of the run, ends the session.
  if (traitsOf(outcome).group === 'auth') return { kind: 'give-up', why: 'final' };
  if (attempt >= policy.maxAttempts) return { kind: 'give-up', why: 'exhausted' };
  const asked = policy.respectRetryAfter && stated.kind === 'wait' ? stated.delayMs : ms(0);
  if (asked > policy.maxRetryAfterMs) return { kind: 'give-up', why: 'retry_after_too_long' };
  if (!budgetGrants()) return { kind: 'give-up', why: 'budget' };
  return { kind: 'retry', cause: outcome, delayMs: ms(Math.max(asked, nextBackoff())), asked: stated };
}

/** Returns the handling of a stated wait, after the backoff. */
export function useOf(asked: StatedWait, waitedMs: Ms): RetryAfterUse {
  if (asked.kind !== 'wait') return asked.kind;
  return waitedMs >= asked.delayMs ? 'obeyed' : 'violated';
}

const isFinished = (outcome: AttemptClass): outcome is FinishedClass => Object.hasOwn(attemptClasses, outcome);

/**
 * Reports whether an attempt failed in a permanent way: its class is not retried, and does not occur temporarily in any
 * service. A conforming reply that breaks a check does not count against the target.
 */
export function isRefusal(
  policies: readonly { policy: RetryPolicy }[],
  { policy }: SessionOrigin,
  outcome: AttemptClass,
): boolean {
  if (outcome === 'aborted') return false;
  const { group, retriedByDefault } = traitsOf(outcome);
  const isFinal = !retriedByDefault && policies[policy]?.policy.classes.includes(outcome) !== true;
  return isFinal && group !== 'ok' && group !== 'integrity';
}

/**
 * Maximum number of renewals in one operation: tokens may expire before an answer arrives, but further rejections have
 * another cause.
 */
const maxRenewals = 3;

/**
 * Reports whether an attempt may have been rejected because its token had expired; it is then retried with the next
 * token, regardless of the policy. `renewals`: number of such retries.
 */
export function mayBeExpired(
  { access }: { access?: Access | undefined },
  { outcome, sentAt }: { outcome: AttemptClass } & Pick<Exchange, 'sentAt'>,
  renewals: number,
): boolean {
  return access !== undefined && outcome === 'unauthorized' && renewals < maxRenewals && access.mayHaveEnded(sentAt);
}

/**
 * Returns a function that draws the backoffs of one operation, one after another, in milliseconds, before any stated wait.
 * Source of the jitters: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export function backoffs(policy: RetryPolicy, random: Random): () => Ms {
  let step = 0;
  let last = policy.baseMs as number;
  return () => {
    const whole = Math.min(policy.capMs, policy.baseMs * policy.factor ** step++);
    switch (policy.jitter) {
      case 'none':
        return ms(whole);
      case 'full':
        return ms(random() * whole);
      case 'equal':
        return ms(whole / 2 + (random() * whole) / 2);
      case 'decorrelated':
        last = Math.min(policy.capMs, policy.baseMs + random() * Math.max(0, last * 3 - policy.baseMs));
        return ms(last);
    }
  };
}

const slices = 10;

/**
 * A retry budget: retries may be at most a share of all attempts over a sliding window, kept in ten slices. A retry
 * counts as soon as it is granted; otherwise a storm of failures could be granted thousands of retries during their
 * backoffs.
 */
export class RetryBudget {
  readonly #share: number;
  readonly #sliceMs: number;
  readonly #attempts = new Array<number>(slices).fill(0);
  readonly #granted = new Array<number>(slices).fill(0);
  #slice = 0;

  constructor({ share, windowMs }: NonNullable<RetryPolicy['budget']>) {
    this.#share = share;
    this.#sliceMs = Math.max(1, windowMs / slices);
  }

  /** Counts an attempt that is sent at `now`, first or not. */
  attempt(now: Instant): void {
    this.#slideTo(now);
    this.#attempts[this.#slice % slices] = (this.#attempts[this.#slice % slices] ?? 0) + 1;
  }

  /** Grants one more retry, which must then be made, if it keeps the share. */
  grant(now: Instant): boolean {
    this.#slideTo(now);
    if (sum(this.#granted) + 1 > this.#share * (sum(this.#attempts) + 1)) return false;
    this.#granted[this.#slice % slices] = (this.#granted[this.#slice % slices] ?? 0) + 1;
    return true;
  }

  #slideTo(now: Instant): void {
    const slice = Math.floor(now / this.#sliceMs);
    for (let passed = Math.max(this.#slice + 1, slice - slices + 1); passed <= slice; passed++) {
      this.#attempts[passed % slices] = 0;
      this.#granted[passed % slices] = 0;
    }
    this.#slice = Math.max(this.#slice, slice);
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
