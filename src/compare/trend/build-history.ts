import { groupBy } from '../../base/group-by.ts';
import { scatter } from '../../statistics/averages.ts';
import { type History, type HistoryGroup, type PastPoint, summarizePast } from '../document/history.ts';
import type { MetricRule } from '../metrics/metric-rules.ts';
import { trendDefaults } from './build-trend.ts';
import { gatherNights, type Night, type TrendRun } from './trend-run.ts';
import { trackMetric } from './track-metric.ts';

/**
 * What comparisons learn of the noise: for each metric from the sittings of each release, since its last change. Always
 * by the default alpha and window, so that it depends only on the results, not on the options of a trend.
 */
export function buildHistory(runs: readonly TrendRun[], rules: readonly MetricRule[]): History {
  return {
    kind: 'chat-load/history',
    schemaVersion: 1,
    groups: gatherNights(runs).map(({ group, nights }) => ({
      ...group,
      ...pastOf(nights.slice(-trendDefaults.window), rules),
    })),
  };
}

/** A sitting as far as it is of one release: both sides of interleaved pairs are two. */
interface ReleaseNight extends Night {
  release: string;
}

function pastOf(nights: readonly Night[], rules: readonly MetricRule[]): Omit<HistoryGroup, keyof TrendRun['group']> {
  const parts = nights.flatMap(partsOf);
  const releases = [...groupBy(parts, ({ release }) => release).values()];
  const observations = parts.map(({ key, release, runs }) => ({
    sitting: key,
    release,
    runs: runs.map(({ id, startedAt }) => ({ id, startedAt })),
  }));
  const points = rules.map((rule) => [rule.name, releases.flatMap((own) => pointsOf(own, { parts, rule }))] as const);
  return summarizePast({ observations, points: Object.fromEntries(points.filter(([, { length }]) => length > 0)) });
}

const partsOf = (night: Night): ReleaseNight[] =>
  [...groupBy(night.runs, ({ release }) => release)].map(([release, runs]) => ({ ...night, release, runs }));

/** Of one release, since its last change. */
function pointsOf(
  own: readonly ReleaseNight[],
  { parts, rule }: { parts: readonly ReleaseNight[]; rule: MetricRule },
): PastPoint[] {
  const newest = trackMetric(own, rule, trendDefaults).segments.at(-1);
  return (newest?.points ?? []).flatMap(({ night, level, runLevels, withinRuns }) => {
    const part = own[night];
    if (part === undefined) return [];
    return [{ of: parts.indexOf(part), level, runs: runLevels.length, scatter: scatter(runLevels), withinRuns }];
  });
}
