import type { Plan } from '../../plan/plan.ts';
import { shortestIntervalMs, startOf, widthFor } from '../../record/interval-width.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import type { Result } from '../../result/result.ts';

/**
 * The intervals of a run that releases are compared by, the same of every run of one plan. The warm-up is left out. A
 * run by duration is taken up to its last whole interval before the drain, in which no session starts, and whose length
 * and load are chance. A run by a number of sessions alone has no such end known beforehand; all of it is taken, its
 * thinning out at the end included, for leaving out whatever came late would leave out the slowest.
 */
export function measuredWindow({ intervals, scenario }: Pick<Result, 'intervals' | 'scenario'>): Interval[] {
  const end = windowEnd(scenario.plan);
  return intervals.filter(({ warmUp, startMs, lengthMs }) => !warmUp && startMs < end && lengthMs > 0);
}

/**
 * Where the window of a plan ends, in milliseconds from its start; infinite for a number of sessions alone. By the width
 * that intervals have after the longest drain there can be: a shorter one leaves them narrower, not elsewhere.
 */
export function windowEnd({ durationMs, gracePeriodMs }: Pick<Plan, 'durationMs' | 'gracePeriodMs'>): number {
  if (durationMs === null) return Infinity;
  return startOf(durationMs, widthFor(durationMs + gracePeriodMs + shortestIntervalMs));
}
