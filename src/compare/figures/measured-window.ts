import type { Interval } from '../../result/intervals.ts';
import type { Result } from '../../result/result.ts';

/**
 * The intervals of a run that releases are compared by, by the same rule on both sides. The warm-up is left out. A run
 * by duration is taken up to the end of its duration: what follows is the drain, in which no session starts, and whose
 * length and load are chance. A run by a number of sessions alone has no such end known beforehand; all of it is taken,
 * its thinning out at the end included, for leaving out whatever came late would leave out the slowest.
 */
export function measuredWindow({ intervals, scenario }: Pick<Result, 'intervals' | 'scenario'>): Interval[] {
  const end = scenario.plan.durationMs ?? Infinity;
  return intervals.filter(({ warmUp, startMs, lengthMs }) => !warmUp && startMs < end && lengthMs > 0);
}
