import { ms, type Ms } from '../base/time.ts';
import type { RetryPolicy } from '../plan/plan.ts';
import { type AttemptClass, attemptClasses, type FinishedClass, traitsOf } from '../protocol/outcome.ts';
import type { GiveUp, RetryAfterUse } from './observer.ts';
import type { RetryAfter } from './retry-after.ts';

/** Retry after a wait, or not and why. */
export type Decision =
  | { kind: 'retry'; cause: FinishedClass; delayMs: Ms; /** What `Retry-After` asked for. */ asked: RetryAfter }
  | { kind: 'give-up'; why: GiveUp };

interface FailedAttempt {
  outcome: AttemptClass;
  /** From 1. */
  attempt: number;
  retryAfter: RetryAfter;
}

/**
 * Whether a failed attempt is tried again. `nextBackoff` and `budgetGrants` are asked only when everything else says
 * yes. `Retry-After` counts on any retried class: the wait is the larger of the two, which `cap` does not limit.
 */
export function decideRetry(
  policy: RetryPolicy,
  { outcome, attempt, retryAfter }: FailedAttempt,
  { nextBackoff, budgetGrants }: { nextBackoff: () => Ms; budgetGrants: () => boolean },
): Decision {
  if (!isFinished(outcome) || !policy.classes.includes(outcome)) return { kind: 'give-up', why: 'final' };
  // A refused key has broken the circuit, whatever the policy: that ends the session, not the end of the run.
  if (traitsOf(outcome).group === 'auth') return { kind: 'give-up', why: 'final' };
  if (attempt >= policy.maxAttempts) return { kind: 'give-up', why: 'exhausted' };
  const asked = policy.respectRetryAfter && retryAfter.kind === 'wait' ? retryAfter.delayMs : ms(0);
  if (asked > policy.maxRetryAfterMs) return { kind: 'give-up', why: 'retry_after_too_long' };
  if (!budgetGrants()) return { kind: 'give-up', why: 'budget' };
  return { kind: 'retry', cause: outcome, delayMs: ms(Math.max(asked, nextBackoff())), asked: retryAfter };
}

/** What became of a `Retry-After`, once the wait is over. */
export function useOf(asked: RetryAfter, waitedMs: Ms): RetryAfterUse {
  if (asked.kind !== 'wait') return asked.kind;
  return waitedMs >= asked.delayMs ? 'obeyed' : 'violated';
}

const isFinished = (outcome: AttemptClass): outcome is FinishedClass => Object.hasOwn(attemptClasses, outcome);
