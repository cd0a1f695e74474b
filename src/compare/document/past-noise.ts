import { groupBy } from '../../base/group-by.ts';
import { mean, scatter } from '../../statistics/mean.ts';
import type { HistoryGroup, MetricHistory, PastObservation, PastPoint } from './history.ts';

type PastRuns = Pick<HistoryGroup, 'sittings' | 'runs' | 'from' | 'to' | 'observations' | 'points' | 'metrics'>;

/** A past as it is published, with the noise that it shows. */
export function summarizePast({ observations, points }: Pick<HistoryGroup, 'observations' | 'points'>): PastRuns {
  const starts = observations.flatMap(({ runs }) => runs.map(({ startedAt }) => startedAt)).toSorted();
  const noises = Object.entries(points).map(([name, past]) => [name, noiseOf(past, observations)] as const);
  return {
    sittings: new Set(observations.map(({ sitting }) => sitting)).size,
    runs: starts.length,
    from: starts.at(0) ?? '',
    to: starts.at(-1) ?? '',
    observations,
    points,
    metrics: Object.fromEntries(noises),
  };
}

/**
 * A group without the sittings of some runs: otherwise the compared runs would be part of the noise they are compared
 * with. `undefined` where nothing is left. A group without observations is unchanged.
 */
export function withoutSittingsOf(ids: ReadonlySet<string>, group: HistoryGroup): HistoryGroup | undefined {
  const compared = new Set(
    group.observations.filter(({ runs }) => runs.some(({ id }) => ids.has(id))).map(({ sitting }) => sitting),
  );
  if (compared.size === 0) return group;
  const observations = group.observations.filter(({ sitting }) => !compared.has(sitting));
  if (observations.length === 0) return undefined;
  const placeOf = new Map(observations.map((each, at) => [group.observations.indexOf(each), at]));
  const left = (points: readonly PastPoint[]): PastPoint[] =>
    points.flatMap((point) => {
      const of = placeOf.get(point.of);
      return of === undefined ? [] : [{ ...point, of }];
    });
  const points = Object.fromEntries(Object.entries(group.points).map(([name, past]) => [name, left(past)]));
  return { ...group, ...summarizePast({ observations, points }) };
}

/**
 * Pooled within releases: differences between releases are changes, not noise. At least the variance that runs have within
 * them: a share that was always zero may not stay so.
 */
function noiseOf(points: readonly PastPoint[], observations: readonly PastObservation[]): MetricHistory {
  const releases = [...groupBy(points, ({ of }) => observations[of]?.release ?? '').values()];
  const sittingDegrees = points.length - releases.length;
  const ofSittings = sum(releases.map((release) => scatter(release.map(({ level }) => level))));
  const runDegrees = sum(points.map(({ runs }) => runs - 1));
  const ofRuns = sum(points.map((point) => point.scatter));
  const runsPerSitting = points.length === 0 ? 0 : mean(points.map(({ runs }) => runs));
  const least = points.length === 0 ? 0 : mean(points.map(({ withinRuns }) => withinRuns));
  return {
    runVariance: runDegrees > 0 ? Math.max(least, ofRuns / runDegrees) : null,
    runDegrees,
    sittingVariance: sittingDegrees > 0 ? Math.max(least / runsPerSitting, ofSittings / sittingDegrees) : null,
    sittingDegrees,
    runsPerSitting,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
