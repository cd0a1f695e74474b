import type { MetricRule } from '../../compare/metrics/metric-rule.ts';
import { buildTrend } from '../../compare/trend/build-trend.ts';
import type { Trend } from '../../compare/trend/trend.ts';
import type { TrendRun } from '../../compare/trend/trend-run.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { readRuns, type RunsWanted } from './read-runs.ts';

export interface TrendWanted extends RunsWanted {
  rules: readonly MetricRule[];
  /** The greatest p of a reported change. */
  alpha: number;
}

/** The trend, and the runs that a history would be made of: those of every scenario. */
export interface PerformedTrend {
  trend: Trend;
  runs: readonly TrendRun[];
}

/** Looks for changes in the results of a folder. Throws what `readRuns` throws. */
export function performTrend(wanted: TrendWanted): PerformedTrend {
  const { rules, alpha, window, scenario } = wanted;
  const { runs, skipped, warnings } = readRuns(wanted);
  const shown = runs.filter(({ group }) => scenario === undefined || group.scenario.name === scenario);
  return { trend: buildTrend({ runs: shown, rules, toolVersion, skipped, warnings, alpha, window }), runs };
}
