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

/** Report of the generating process about itself. */
export const generatorAccountSchema = z.object({
  generator: generatorHealthSchema.nullable(),
  samples: z.array(generatorSampleSchema),
  traffic: trafficSchema.nullable(),
  transport: transportSchema.nullable(),
});

export const journalHeaderSchema = z.object({
  kind: z.literal('chat-load/journal'),
  schemaVersion: z.literal(1),
  run: runFactsSchema.pick({
    id: true,
    salt: true,
    label: true,
    sitting: true,
    pair: true,
    startedAt: true,
    toolVersion: true,
  }),
  plan: planSchema,
  environment: environmentSchema.nullable(),
  calibration: calibrationSchema.nullable(),
  warnings: z.array(warningSchema),
});

/** For a run with several shards: a shard whose part of the latest intervals is missing, and the end of its complete part. */
const missingShardSchema = z.object({ shard: z.int().min(0), untilMs: elapsedMs });
export type MissingShard = z.infer<typeof missingShardSchema>;

const intervalEntrySchema = z.object({
  kind: z.literal('interval'),
  run: z.string(),
  number: z.int().min(1),
  /** Time in milliseconds since the start of the run; everything that ended before it is in this or an earlier entry. */
  elapsedMs,
  piece: snapshotSchema,
  /** Shards that were lost or silent for too long when it was closed; omitted if there were none. */
  missing: z.array(missingShardSchema).optional(),
  ...generatorAccountSchema.shape,
});

/** A lost shard. Its work in progress is in an interval, as lost. */
const lostEntrySchema = z.object({
  kind: z.literal('lost'),
  run: z.string(),
  worker: workerSchema.extend({ lost: workerSchema.shape.lost.unwrap() }),
});

/** A warning that only the run itself could issue, such as throttled requests. */
const warningEntrySchema = z.object({ kind: z.literal('warning'), run: z.string(), warning: warningSchema });

/** Last entry: the run ended, and nothing is missing. */
const endEntrySchema = z.object({
  kind: z.literal('end'),
  run: z.string(),
  intervals: z.int().min(0),
  elapsedMs,
  stop: stopSchema.nullable(),
  workers: z.array(workerSchema).nullable(),
  ...generatorAccountSchema.shape,
});

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

/** A line of a journal with its number, from 1. Torn: the file ended before the line did. */
export type JournalLine =
  { line: number; kind: 'entry'; entry: unknown } | { line: number; kind: 'damaged' } | { line: number; kind: 'torn' };
