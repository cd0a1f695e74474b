import { tQuantile } from '../../statistics/student-t.ts';
import { shareBounds } from '../../statistics/clopper-pearson.ts';
import { ratioError, type RatioError } from '../../statistics/ratio-error.ts';
import type { Part } from '../beat.ts';
import type { ObjectiveSeen } from '../document/step.ts';
import type { Objective } from '../objectives/objective.ts';
import type { Demands } from './certainty.ts';

/** What a stretch shows of an objective, and how alike its neighbours are. */
export interface Judged {
  seen: ObjectiveSeen;
  correlation: number;
  /** How many times as long a stretch as this it would take; Infinity: it is at its limit. */
  neededTimes: number;
  /** `null`: a count, or nothing seen. */
  error: RatioError | null;
}

/** Judges one objective by the parts of the settled beats. `correlation`: of neighbouring batches of the queue behind them. */
export function judgeObjective(
  objective: Objective,
  parts: readonly Part[],
  { alpha, leastBatches, correlation }: Pick<Demands, 'alpha' | 'leastBatches'> & { correlation: number },
): Judged {
  const error = ratioError(parts, leastBatches, correlation);
  if (error === null) return { seen: nothingSeen(objective), correlation: 0, neededTimes: 1, error: null };
  const { limit } = objective.share;
  const { low, high } = boundsOf(objective, error, alpha);
  const verdict = high < limit ? 'holds' : low > limit ? 'broken' : 'undecided';
  const { ratio } = error;
  const reach = ratio < limit ? high - ratio : ratio - low;
  return {
    seen: { ...nothingSeen(objective), verdict, actual: objective.share.figureOf(ratio), share: ratio, low, high },
    correlation: error.correlation,
    error,
    neededTimes: (reach / Math.abs(limit - ratio)) ** 2,
  };
}

/** Judges what must not be exceeded, by all of a step. */
export function judgeCount(objective: Objective, { part, whole }: Part): Judged {
  const { limit } = objective.share;
  const verdict = part > limit ? 'broken' : whole > 0 ? 'holds' : 'undecided';
  return {
    seen: { ...nothingSeen(objective), verdict, actual: part, share: part, low: part, high: part },
    correlation: 0,
    neededTimes: 1,
    error: null,
  };
}

/** Of an objective, before anything ended. */
export function nothingSeen({ metric, condition, share: { limit } }: Objective): ObjectiveSeen {
  return { metric, condition, verdict: 'undecided', actual: null, share: null, low: null, high: null, limit };
}

/** By the noise between batches, or by chance alone where that is larger. */
export function boundsOf(
  { share: { kind } }: Objective,
  error: RatioError,
  alpha: number,
): { low: number; high: number } {
  const { ratio, whole, standardError, degrees } = error;
  const t = tQuantile(1 - alpha, degrees);
  const far = tQuantile(1 - alpha, 1e6);
  if (kind === 'share') {
    const byChance = (ratio * (1 - ratio)) / whole;
    const repeated = byChance > 0 ? Math.max(1, standardError ** 2 / byChance) : 1;
    const count = (whole / repeated) * (far / t) ** 2;
    return shareBounds({ part: ratio * count, count }, alpha);
  }
  if (kind === 'mean') return { low: ratio - t * standardError, high: ratio + t * standardError };
  const reach = t * Math.max(standardError, Math.sqrt(ratio / whole));
  // Of none seen, at most so many (the rule of three, at 5 %).
  return { low: ratio - reach, high: ratio + Math.max(reach, -Math.log(alpha) / whole) };
}
