import { z } from 'zod';
import { groupBy } from '../../base/group-by.ts';
import { mean, scatter, sumOf } from '../../statistics/averages.ts';

/** Noise of one metric in the history of a scenario, on the scale of comparison. */
const metricHistorySchema = z.object({
  /** Pooled variance of runs of one release within their batches; `null` if every batch had one run. */
  runVariance: z.number().min(0).nullable(),
  runDegrees: z.int().min(0),
  /** Pooled variance of the means of batches within releases since their last change; `null` below two batches. */
  sittingVariance: z.number().min(0).nullable(),
  sittingDegrees: z.int().min(0),
  /** Mean number of runs per batch. */
  runsPerSitting: z.number().min(0),
});
export type MetricHistory = z.infer<typeof metricHistorySchema>;

const pastPointSchema = z.object({
  of: z.int().min(0),
  level: z.number(),
  runs: z.int().min(1),
  scatter: z.number().min(0),
  /** Variance within a run, as far as runs contain it. */
  withinRuns: z.number().min(0),
});
export type PastPoint = z.infer<typeof pastPointSchema>;

const observationSchema = z.object({
  sitting: z.string(),
  release: z.string(),
  runs: z.array(z.object({ id: z.string(), startedAt: z.string() })).min(1),
});
type PastObservation = z.infer<typeof observationSchema>;

const historyGroupSchema = z.object({
  scenario: z.object({ name: z.string(), hash: z.string() }),
  /** Processor, cores, memory, system and Node.js, as text. */
  machineClass: z.string(),
  /** Hash of the other properties that must be equal: load model and level, target kind and profile, durations. */
  loadHash: z.string(),
  sittings: z.int(),
  runs: z.int(),
  from: z.string(),
  to: z.string(),
  /** Source of the noise estimate, so that compared batches can be excluded. */
  observations: z.array(observationSchema),
  points: z.record(z.string(), z.array(pastPointSchema)),
  metrics: z.record(z.string(), metricHistorySchema),
});
export type HistoryGroup = z.infer<typeof historyGroupSchema>;

/** Document that `trend` stores for `compare`. */
export const historySchema = z.object({
  kind: z.literal('chat-load/history'),
  schemaVersion: z.literal(1),
  groups: z.array(historyGroupSchema),
});
export type History = z.infer<typeof historySchema>;

type PastRuns = Pick<HistoryGroup, 'sittings' | 'runs' | 'from' | 'to' | 'observations' | 'points' | 'metrics'>;

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
 * Returns a group without the batches of some runs: otherwise the compared runs would be part of the noise they are
 * compared with. `undefined` if nothing remains. A group without observations is unchanged.
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
 * Pools the noise within releases: differences between releases are changes, not noise. The result is at least the
 * variance within runs, because a share that was always zero may change.
 */
function noiseOf(points: readonly PastPoint[], observations: readonly PastObservation[]): MetricHistory {
  const releases = [...groupBy(points, ({ of }) => observations[of]?.release ?? '').values()];
  const sittingDegrees = points.length - releases.length;
  const ofSittings = sumOf(releases.map((release) => scatter(release.map(({ level }) => level))));
  const runDegrees = sumOf(points.map(({ runs }) => runs - 1));
  const ofRuns = sumOf(points.map((point) => point.scatter));
  const runsPerSitting = points.length === 0 ? 0 : mean(points.map(({ runs }) => runs));
  const min = points.length === 0 ? 0 : mean(points.map(({ withinRuns }) => withinRuns));
  return {
    runVariance: runDegrees > 0 ? Math.max(min, ofRuns / runDegrees) : null,
    runDegrees,
    sittingVariance: sittingDegrees > 0 ? Math.max(min / runsPerSitting, ofSittings / sittingDegrees) : null,
    sittingDegrees,
    runsPerSitting,
  };
}
