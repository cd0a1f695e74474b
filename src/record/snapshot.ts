import { z } from 'zod';
import { listOf } from '../base/field.ts';
import { exampleSchema, mergeExamples } from './examples.ts';
import { intervalLevelsSchema, joinInTime, joinWorkers, type IntervalLevels } from './gauges.ts';
import { maxIntervalEntries, startOf, widthFor } from './interval-width.ts';
import { tallySchema, mergeTallies, type Tally } from './tally.ts';
import { violationSchema, mergeViolations } from './violations.ts';
import { groupBy } from '../base/group-by.ts';

/** Whether the warm-up or the measured part is counted, and for which retry policy of the plan. */
const partitionTallySchema = z.object({ warmUp: z.boolean(), policy: z.int().min(0), ...tallySchema.shape });

/** Entries of a snapshot that is written down: it has one interval, and no plan has a thousand policies. */
const maxPartitions = 2000;

const intervalTallySchema = z.object({
  /** Start of the interval, in milliseconds since the run's start: a multiple of the width. */
  startMs: z.int().min(0),
  ...partitionTallySchema.shape,
});

/**
 * Counters and histograms at an instant, complete enough to build a result from. It is consistent: the totals are the
 * sum of the intervals, each part of them counted on its own, and snapshots of several workers, or of one worker's
 * successive intervals, merge into the snapshot of all.
 */
export const snapshotSchema = z.object({
  kind: z.literal('chat-load/snapshot'),
  schemaVersion: z.literal(1),
  /** The names of the workers whose sessions are in it, sorted. */
  workers: z.array(z.string()).min(1),
  elapsedMs: z.number().min(0),
  warmUpMs: z.number().min(0),
  /** The width of the intervals. */
  intervalMs: z.int().min(1),
  /** At most one entry per phase (warm-up or measured) and policy. */
  totals: listOf(partitionTallySchema, maxPartitions),
  /** By start; an interval in which nothing ended has no entry. */
  intervals: listOf(intervalTallySchema, maxPartitions),
  /** By start; every interval has an entry, the one that holds the end of the warm-up has two. */
  levels: listOf(intervalLevelsSchema, maxIntervalEntries),
  examples: z.array(exampleSchema),
  /** Of the integrity guard. */
  violations: z.array(violationSchema),
});

export type Snapshot = z.infer<typeof snapshotSchema>;
export type PartitionTally = z.infer<typeof partitionTallySchema>;
export type IntervalTally = z.infer<typeof intervalTallySchema>;

type PartitionKey = Pick<PartitionTally, 'warmUp' | 'policy'>;

/** By start, the warm-up first, then by policy. */
export function inOrder(a: PartitionKey & { startMs?: number }, b: PartitionKey & { startMs?: number }): number {
  return (a.startMs ?? 0) - (b.startMs ?? 0) || Number(b.warmUp) - Number(a.warmUp) || a.policy - b.policy;
}

/**
 * Merges several snapshots: of workers that ran at the same time, or of successive pieces of one worker, distinguished
 * by the workers' names. Exact, and the same in any order; only the maxima of levels are an upper bound where workers
 * were merged. Intervals take the width of the longest part.
 */
export function mergeSnapshots(first: Snapshot, ...rest: readonly Snapshot[]): Snapshot {
  const parts = [first, ...rest];
  if (parts.some((part) => part.warmUpMs !== first.warmUpMs))
    throw new Error('snapshots of runs with different warm-ups cannot be merged');
  const elapsedMs = Math.max(...parts.map((part) => part.elapsedMs));
  const intervalMs = Math.max(widthFor(elapsedMs), ...parts.map((part) => part.intervalMs));
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

/** Pieces of the same workers are of different times; those of other workers are of the same time. */
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

/** The number of pieces merged at once: each merge goes through all intervals, at most 600. */
const batchSize = 64;

/**
 * Merges the snapshots of a run's intervals as they come in, in any order, in bounded memory. Reading a histogram takes
 * nearly all of the time, so each is read about once: the totals of pieces, which are their intervals once more, are not
 * looked at, and summed up from the merged intervals at the end.
 */
export class PieceMerger {
  #merged: Snapshot | undefined;
  #batch: Snapshot[] = [];

  add(piece: Snapshot): void {
    this.#batch.push({ ...piece, totals: [] });
    if (this.#batch.length === batchSize) this.#merge();
  }

  /** The intervals of all, and no totals, which take long to sum up; `undefined` without any. */
  intervals(): Snapshot | undefined {
    this.#merge();
    return this.#merged;
  }

  /** The snapshot of all; `undefined` without any. */
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
