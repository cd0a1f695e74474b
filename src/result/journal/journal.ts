import { z } from 'zod';
import { planSchema } from '../../plan/plan.ts';
import { snapshotSchema } from '../../record/snapshot.ts';
import { calibrationSchema } from '../sections/calibration.ts';
import { environmentSchema, workerSchema } from '../sections/environment.ts';
import { maxRunMs } from '../../base/field.ts';
import { generatorHealthSchema, generatorSampleSchema } from '../sections/generator-health.ts';
import { trafficSchema } from '../sections/rates.ts';
import { transportSchema } from '../sections/transport.ts';
import { runFactsSchema, stopSchema } from '../sections/run-facts.ts';
import { warningSchema } from '../sections/warning.ts';

const elapsedMs = z.number().min(0).max(maxRunMs);

/** What the process that generates the load reports about itself. */
export const generatorAccountSchema = z.object({
  /** The load since the start; `null` if not measured. */
  generator: generatorHealthSchema.nullable(),
  /** Second by second, only what no earlier entry contains. */
  samples: z.array(generatorSampleSchema),
  /** Since the start. */
  traffic: trafficSchema.nullable(),
  transport: transportSchema.nullable(),
});

/** The first entry: what is known of a run when it starts. */
export const journalHeaderSchema = z.object({
  kind: z.literal('chat-load/journal'),
  schemaVersion: z.literal(1),
  run: runFactsSchema.pick({ id: true, label: true, sitting: true, pair: true, startedAt: true, toolVersion: true }),
  plan: planSchema,
  environment: environmentSchema.nullable(),
  /** Of the machine that the load comes from; `null` where there is none. */
  calibration: calibrationSchema.nullable(),
  warnings: z.array(warningSchema),
});

/** Of a run of several shards: one whose part of the latest intervals is missing, and up to when there is all of it. */
const missingShardSchema = z.object({ shard: z.int().min(0), untilMs: elapsedMs });
export type MissingShard = z.infer<typeof missingShardSchema>;

/** An interval that is closed, on its own. */
const intervalEntrySchema = z.object({
  kind: z.literal('interval'),
  /** The id of the run, to recognize entries of another. */
  run: z.string(),
  /** From 1, without gaps. */
  number: z.int().min(1),
  /** What ended by then, in milliseconds since the run's start, is in this entry or in those before it. */
  elapsedMs,
  piece: snapshotSchema,
  /** Shards that were lost, or had said nothing for too long, when it was closed; left out if there were none. */
  missing: z.array(missingShardSchema).optional(),
  ...generatorAccountSchema.shape,
});

/** A shard was given up. What it had under way is in an interval, as lost. */
const lostEntrySchema = z.object({
  kind: z.literal('lost'),
  run: z.string(),
  worker: workerSchema.extend({ lost: workerSchema.shape.lost.unwrap() }),
});

/** A warning that only the run itself could notice, such as that requests were throttled. */
const warningEntrySchema = z.object({ kind: z.literal('warning'), run: z.string(), warning: warningSchema });

/** The last entry: the run ended, and nothing is missing. */
const endEntrySchema = z.object({
  kind: z.literal('end'),
  run: z.string(),
  /** How many intervals there were. */
  intervals: z.int().min(0),
  elapsedMs,
  /** What ended the run before its end; `null` when nothing did. */
  stop: stopSchema.nullable(),
  /** Of a run of several shards: who played them; `null`: it had none. */
  workers: z.array(workerSchema).nullable(),
  ...generatorAccountSchema.shape,
});

/** Everything behind the header. */
export const journalEntrySchema = z.discriminatedUnion('kind', [
  intervalEntrySchema,
  lostEntrySchema,
  warningEntrySchema,
  endEntrySchema,
]);

export type GeneratorAccount = z.infer<typeof generatorAccountSchema>;
export type JournalHeader = z.infer<typeof journalHeaderSchema>;
export type IntervalEntry = z.infer<typeof intervalEntrySchema>;
export type LostEntry = z.infer<typeof lostEntrySchema>;
export type WarningEntry = z.infer<typeof warningEntrySchema>;
export type EndEntry = z.infer<typeof endEntrySchema>;
export type JournalEntry = z.infer<typeof journalEntrySchema>;

/** A line of a journal as it was read, its number from 1. Torn: the end of the file came before the end of the line. */
export type JournalLine =
  { line: number; kind: 'entry'; entry: unknown } | { line: number; kind: 'damaged' } | { line: number; kind: 'torn' };
