import { groupBy } from '../../base/group-by.ts';
import { scatter } from '../../statistics/averages.ts';
import { type History, type HistoryGroup, type PastPoint, summarizePast } from '../document/history.ts';
import type { MetricRule } from '../metrics/metric-rules.ts';
import { trendDefaults } from './trend-options.ts';
import { gatherNights, type Night, type TrendRun } from './trend-run.ts';
import { trackMetric } from './track-metric.ts';
import { minPoints } from './scan.ts';
import type { Trend, TrendEvent, TrendGroup } from './trend.ts';

/**
 * Builds the history of the noise: for each metric from the batches of each release, since its last change. Always uses the
 * default alpha and window, so that it depends only on the results, not on the options of a trend.
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

/** The runs of one release in a batch: both sides of interleaved pairs are two. */
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

/** `change`: a gated metric changed in any direction; `regression`: for the worse. */
export type AlarmOn = 'change' | 'regression';

/**
 * Returns the newest event of gated metrics within the last `nights`; `undefined` if there is none. Series that ended
 * before the latest results raise no alarm; otherwise their last change would do so forever.
 */
export function findAlarm(trend: Trend, { on, nights }: { on: AlarmOn; nights: number }): TrendEvent | undefined {
  const raises = ({ nightsSince, metrics }: TrendEvent): boolean =>
    nightsSince <= nights &&
    metrics.some(({ isGated, direction }) => isGated && (on === 'change' || direction === 'worse'));
  return seriesInReach(trend, nights)
    .flatMap(({ events }) => events.filter(raises))
    .toSorted((a, b) => a.date.localeCompare(b.date))
    .at(-1);
}

export function seriesInReach(trend: Trend, nights: number): TrendGroup[] {
  return trend.groups.filter((group) => daysBehind(group, trend) < nights);
}

/** Reports whether the last nights of a series have no deciding latency, because all are doubtful or missing. */
export function isDoubted({ nights }: TrendGroup, last: number): boolean {
  return nights.slice(-last).every(({ isDoubtful, lacksLatency }) => isDoubtful || lacksLatency);
}

/** Reports whether a requested verdict is impossible: no change was found, and in no recent night was a deciding latency known. */
export function isWithoutVerdict(trend: Trend): boolean {
  const { alarm } = trend;
  if (alarm === null || alarm.date !== null || alarm.doubtful === 0) return false;
  return seriesInReach(trend, alarm.nights).every((group) => isDoubted(group, alarm.nights) || !isSearched(group));
}

/** Reports whether changes were searched for in any metric of a series, which needs figures of ten nights. */
export function isSearched({ metrics }: TrendGroup): boolean {
  return metrics.some(({ points }) => points.length >= minPoints);
}

const dayMs = 86_400_000;

/** Returns the number of days between the end of a series and the latest result. */
const daysBehind = (group: TrendGroup, { groups }: Trend): number =>
  (Math.max(...groups.map(lastDay)) - lastDay(group)) / dayMs;

const lastDay = ({ nights }: TrendGroup): number => Date.parse(nights.at(-1)?.date ?? '');
