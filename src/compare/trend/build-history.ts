import type { History, HistoryGroup, MetricHistory } from '../history.ts';
import { mean, scatter } from '../../result/mean.ts';
import type { MetricRule } from '../metric-rule.ts';
import { trendDefaults } from './build-trend.ts';
import { gatherNights, type NightSeries } from './night.ts';
import { trackMetric, type NightPoint } from './track-metric.ts';
import type { TrendRun } from './trend-run.ts';

/**
 * What comparisons learn of the noise: for each metric from the nights since its last change. Always by the default
 * alpha and window, so that it depends on the results alone and not on how somebody looked at them.
 */
export const buildHistory = (runs: readonly TrendRun[], rules: readonly MetricRule[]): History => ({
  kind: 'chat-load/history',
  schemaVersion: 1,
  groups: gatherNights(runs).map((series) => buildGroup(series, rules)),
});

function buildGroup({ group, nights: all }: NightSeries, rules: readonly MetricRule[]): HistoryGroup {
  const nights = all.slice(-trendDefaults.window);
  const starts = nights.flatMap(({ runs }) => runs.map(({ startedAt }) => startedAt)).toSorted();
  const { scenario, machineClass, loadHash } = group;
  return {
    scenario,
    machineClass,
    loadHash,
    sittings: nights.length,
    runs: starts.length,
    from: starts.at(0) ?? '',
    to: starts.at(-1) ?? '',
    metrics: Object.fromEntries(
      rules.flatMap((rule) => {
        const newest = trackMetric(nights, rule, trendDefaults).segments.at(-1);
        return newest === undefined ? [] : [[rule.name, noiseOf(newest.points)]];
      }),
    ),
  };
}

/** Noise is at least what runs know to have within them: a share that was nothing all the time is not sure to stay so. */
function noiseOf(points: readonly NightPoint[]): MetricHistory {
  const sittingDegrees = points.length - 1;
  const runDegrees = points.reduce((sum, { runLevels }) => sum + runLevels.length - 1, 0);
  const withinNights = points.reduce((sum, { runLevels }) => sum + scatter(runLevels), 0);
  const runsPerSitting = mean(points.map(({ runLevels }) => runLevels.length));
  const least = mean(points.map(({ withinRuns }) => withinRuns));
  const ofSittings = scatter(points.map(({ level }) => level));
  return {
    runVariance: runDegrees > 0 ? Math.max(least, withinNights / runDegrees) : null,
    runDegrees,
    sittingVariance: sittingDegrees > 0 ? Math.max(least / runsPerSitting, ofSittings / sittingDegrees) : null,
    sittingDegrees,
    runsPerSitting,
  };
}
