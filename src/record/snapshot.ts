import { z } from 'zod';
import { listOf } from '../base/field.ts';
import { exampleSchema } from './examples.ts';
import { intervalLevelsSchema } from './gauges.ts';
import { mostIntervalEntries } from './interval-width.ts';
import { tallySchema } from './tally.ts';
import { violationSchema } from './violations.ts';

/** Whether the warm-up or the measured part is counted, and for which retry policy of the plan. */
const partitionTallySchema = z.object({ warmUp: z.boolean(), policy: z.int().min(0), ...tallySchema.shape });

/** Entries of a snapshot that is written down: it has one interval, and no plan has a thousand policies. */
const mostPartitions = 2000;

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
  totals: listOf(partitionTallySchema, mostPartitions),
  /** By start; an interval in which nothing ended has no entry. */
  intervals: listOf(intervalTallySchema, mostPartitions),
  /** By start; every interval has an entry, the one that holds the end of the warm-up has two. */
  levels: listOf(intervalLevelsSchema, mostIntervalEntries),
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
