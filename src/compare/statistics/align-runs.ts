import type { Observed } from '../document/run-figure.ts';
import type { MetricRule } from '../metrics/metric-rule.ts';
import { scaleOf } from '../metrics/scale.ts';

/**
 * Runs on one scale. Anscombe's root depends on the number of values where events are few: taken at the smallest number
 * among all runs, equal shares are equal levels. Everything else is on its scale already.
 */
export function alignRuns<T extends Pick<Observed, 'figure'>>(
  rule: MetricRule,
  runs: readonly T[],
  count: number,
): readonly T[] {
  if (rule.source.kind !== 'share') return runs;
  const { levelOf } = scaleOf(rule);
  return runs.map((run) => ({ ...run, figure: { ...run.figure, level: levelOf(run.figure.value, count) } }));
}

/** The smallest number of values behind a run's figure. */
export function leastCount(runs: readonly Pick<Observed, 'figure'>[]): number {
  return Math.min(...runs.map(({ figure }) => figure.count));
}
