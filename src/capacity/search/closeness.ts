import type { Step } from '../document/step.ts';
import type { ObjectiveSeen } from '../document/step.ts';

/**
 * How far a load is from the one at which the first objective breaks: below 0 all hold, above it one is broken. Shares
 * on a logistic scale, other ratios on a logarithmic one: both are nearly straight lines over the logarithm of the load.
 */
export interface Closeness {
  value: number;
  /** Its standard error, roughly. */
  error: number;
}

/** Beyond it, on either side, nothing is a straight line any more. */
export const farthest = 3;
/** From the bounds of a share to its standard error, in such errors. */
const boundErrors = 1.7;

/** Of a step; `null`: it says only on which side it is, or nothing. */
export function closenessOf({ objectives, isSaturated, verdict }: Step): Closeness | null {
  if (verdict === 'no_evidence') return null;
  const known = objectives.flatMap((seen) => objectiveCloseness(seen) ?? []);
  const nearest = known.reduce<Closeness | null>((a, b) => (a === null || b.value > a.value ? b : a), null);
  if (isSaturated) return { value: farthest, error: farthest };
  return nearest;
}

function objectiveCloseness({ share, low, high, limit, verdict }: ObjectiveSeen): Closeness | null {
  if (share === null || low === null || high === null) return null;
  // A count that must not be exceeded is on one side or on the other.
  if (low === high) return verdict === 'broken' ? { value: farthest, error: farthest } : null;
  const scale = limit < 1 && high <= 1 ? logit : Math.log;
  // The lower bound of a mean can be negative.
  const clipped = (value: number): number =>
    value <= 0 ? -farthest : Math.max(-farthest, Math.min(farthest, scale(value) - scale(limit)));
  const [from, to] = [clipped(low), clipped(high)];
  const between = (from + to) / 2;
  const value = share === 0 ? Math.min(-clearly, between) : share < 1 ? clipped(share) : between;
  return { value, error: Math.max(0.05, (to - from) / (2 * boundErrors)) };
}

/** Few turns, none of them over the limit: more likely to hold than not. */
const clearly = 0.5;

const logit = (share: number): number => Math.log(share / (1 - share));

/** Reports whether an objective is over its limit by its point estimate, and by more than a few turns. */
export function seemsBroken({ verdict, objectives }: Step): boolean {
  return (
    verdict === 'broken' ||
    objectives.some(({ share, low, limit }) => share !== null && share > limit && (low ?? 0) > limit / 2)
  );
}

/** Whether it holds, or is too near to nothing for a quick step to tell. */
export function seemsToHold(step: Step): boolean {
  if (step.verdict !== 'undecided') return step.verdict === 'holds';
  return (closenessOf(step)?.value ?? -1) < 0;
}
