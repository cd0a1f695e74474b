import { traitsOf, type AttemptClass } from '../protocol/outcome.ts';
import type { SessionOrigin } from './observer.ts';
import type { Policies } from './session-context.ts';

/**
 * Whether an attempt failed as it will again: its class is not retried, and is not one that any service shows for a
 * while. A reply that keeps the contract and breaks a check is not counted against the target.
 */
export function isRefusal(policies: Policies, { policy }: SessionOrigin, outcome: AttemptClass): boolean {
  if (outcome === 'aborted') return false;
  const { group, retriedByDefault } = traitsOf(outcome);
  const isFinal = !retriedByDefault && policies[policy]?.policy.classes.includes(outcome) !== true;
  return isFinal && group !== 'ok' && group !== 'integrity';
}
