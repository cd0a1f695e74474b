import { z } from 'zod';
import { listOf } from '../base/field.ts';
import { exampleSchema, mergeExamples } from './examples.ts';
import { intervalLevelsSchema, joinInTime, joinWorkers, type IntervalLevels } from './gauges.ts';
import { maxIntervalEntries, startOf, widthFor } from './interval-width.ts';
import { tallySchema, mergeTallies, type Tally } from './tally.ts';
import { mergeSlowTurns, slowTurnSchema } from './slow-turns.ts';
import { violationSchema, mergeViolations } from './violations.ts';
import { groupBy } from '../base/group-by.ts';

/** Tally of the warm-up or the measured part, for one retry policy of the plan. */
const partitionTallySchema = z.object({ warmUp: z.boolean(), policy: z.int().min(0), ...tallySchema.shape });

/** Maximum number of entries of a stored snapshot: it has one interval, and no plan has a thousand policies. */
const maxPartitions = 2000;

const intervalTallySchema = z.object({
  startMs: z.int().min(0),
  ...partitionTallySchema.shape,
});

/**
 * Counters and histograms at an instant, complete enough to build a result. It is consistent: the totals are the sum of
 * the intervals, although both are counted separately. Snapshots of several workers, or of one worker's successive
 * intervals, merge into the snapshot of all.
 */
export const snapshotSchema = z.object({
  kind: z.literal('chat-load/snapshot'),
  schemaVersion: z.literal(1),
  /** Sorted names of the workers whose sessions it contains. */
  workers: z.array(z.string()).min(1),
  elapsedMs: z.number().min(0),
  warmUpMs: z.number().min(0),
  intervalMs: z.int().min(1),
  /** At most one entry per phase (warm-up or measured) and policy. */
  totals: listOf(partitionTallySchema, maxPartitions),
  /** Intervals by start; an interval without events has no entry. */
  intervals: listOf(intervalTallySchema, maxPartitions),
  levels: listOf(intervalLevelsSchema, maxIntervalEntries),
  examples: z.array(exampleSchema),
  violations: z.array(violationSchema),
  /** The slowest turns with their model calls; only with `model`. */
  slowTurns: z.array(slowTurnSchema).optional(),
});

export type Snapshot = z.infer<typeof snapshotSchema>;

/** Name of the worker that runs the model service: it generates no load. */
export const modelWorker = 'model';

/** Returns the number of workers that generated load. */
export function generatorCount({ workers }: Pick<Snapshot, 'workers'>): number {
  return workers.filter((name) => name !== modelWorker).length;
}

export type PartitionTally = z.infer<typeof partitionTallySchema>;
export type IntervalTally = z.infer<typeof intervalTallySchema>;

type PartitionKey = Pick<PartitionTally, 'warmUp' | 'policy'>;

export function inOrder(a: PartitionKey & { startMs?: number }, b: PartitionKey & { startMs?: number }): number {
  return (a.startMs ?? 0) - (b.startMs ?? 0) || Number(b.warmUp) - Number(a.warmUp) || a.policy - b.policy;
}

/**
 * Merges several snapshots: of concurrent workers, or of successive pieces of one worker, distinguished by the workers'
 * names. Exact and independent of the order; only the maxima of levels are an upper bound for several workers. Intervals
 * get the width of the longest part.
 */
export function mergeSnapshots(first: Snapshot, ...rest: readonly Snapshot[]): Snapshot {
  const parts = [first, ...rest];
  if (parts.some((part) => part.warmUpMs !== first.warmUpMs))
    throw new Error('snapshots of runs with different warm-ups cannot be merged');
  const elapsedMs = Math.max(...parts.map((part) => part.elapsedMs));
  const intervalMs = Math.max(widthFor(elapsedMs), ...parts.map((part) => part.intervalMs));
  const slowTurns = parts.flatMap((part) => part.slowTurns ?? []);
  return {
    ...first,
    workers: [...new Set(parts.flatMap((part) => part.workers))].toSorted(),
    elapsedMs,
    intervalMs,
    totals: mergeBy(
      parts.flatMap((part) => part.totals),
      partitionKey,
    ),
    intervals: mergeBy(
      parts.flatMap((part) => part.intervals.map((tally) => widened(tally, intervalMs))),
      intervalKey,
    ),
    levels: mergeLevels(parts, intervalMs),
    examples: mergeExamples(parts.flatMap((part) => part.examples)),
    violations: mergeViolations(parts.flatMap((part) => part.violations)),
    ...(slowTurns.length === 0 ? {} : { slowTurns: mergeSlowTurns(slowTurns) }),
  };
}

type Keyed = Tally & { warmUp: boolean; policy: number };

const partitionKey = (tally: Keyed): string => `${String(tally.warmUp)} ${String(tally.policy)}`;
const intervalKey = (tally: IntervalTally): string => `${String(tally.startMs)} ${partitionKey(tally)}`;

const widened = <Entry extends { startMs: number }>(entry: Entry, width: number): Entry => ({
  ...entry,
  startMs: startOf(entry.startMs, width),
});

function mergeBy<Entry extends Keyed>(entries: readonly Entry[], keyOf: (entry: Entry) => string): Entry[] {
  return [...groupBy(entries, keyOf).values()]
    .map(([first, ...rest]) => (rest.length === 0 ? first : { ...first, ...mergeTallies([first, ...rest]) }))
    .toSorted(inOrder);
}

/** Merges levels: pieces of the same workers cover different times, pieces of different workers the same time. */
function mergeLevels(parts: readonly Snapshot[], width: number): IntervalLevels[] {
  const byWorkers = [...groupBy(parts, (part) => part.workers.join('\n')).values()].map((same) =>
    joinBy(
      same.flatMap((part) => part.levels.map((levels) => widened(levels, width))),
      joinInTime,
    ),
  );
  return joinBy(byWorkers.flat(), joinWorkers).toSorted(
    (a, b) => a.startMs - b.startMs || Number(b.warmUp) - Number(a.warmUp),
  );
}

const joinBy = (levels: readonly IntervalLevels[], join: (a: IntervalLevels, b: IntervalLevels) => IntervalLevels) =>
  [...groupBy(levels, (each) => `${String(each.startMs)} ${String(each.warmUp)}`).values()].map(([first, ...rest]) =>
    rest.reduce(join, first),
  );

/** Number of pieces merged at once: each merge iterates over all intervals, at most 600. */
const batchSize = 64;

/**
 * Merges the snapshots of a run's intervals as they arrive, in any order, in bounded memory. Decoding histograms takes
 * nearly all of the time, so each is decoded about once: the totals of pieces, which repeat their intervals, are ignored,
 * and computed from the merged intervals at the end.
 */
export class PieceMerger {
  #merged: Snapshot | undefined;
  #batch: Snapshot[] = [];

  add(piece: Snapshot): void {
    this.#batch.push({ ...piece, totals: [] });
    if (this.#batch.length === batchSize) this.#merge();
  }

  /** Returns all intervals without totals, which are slow to compute; `undefined` if there are none. */
  intervals(): Snapshot | undefined {
    this.#merge();
    return this.#merged;
  }

  /** Returns the snapshot of all pieces; `undefined` if there are none. */
  whole(): Snapshot | undefined {
    const merged = this.intervals();
    if (merged === undefined) return undefined;
    const totals = merged.intervals.map(({ warmUp, policy, counters, series }) => ({
      warmUp,
      policy,
      counters,
      series,
    }));
    return mergeSnapshots({ ...merged, totals });
  }

  #merge(): void {
    if (this.#batch.length === 0) return;
    const [first, ...rest] = [...(this.#merged === undefined ? [] : [this.#merged]), ...this.#batch];
    this.#batch = [];
    if (first !== undefined) this.#merged = mergeSnapshots(first, ...rest);
  }
}
