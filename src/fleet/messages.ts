import { z } from 'zod';
import { finishedClassNames, type FinishedClass } from '../protocol/outcome.ts';
import { liveSchema } from './live-figures.ts';
import { droughtsSchema } from '../schedule/stop/droughts.ts';
import { snapshotSchema } from '../record/snapshot.ts';
import { generatorAccountSchema } from '../result/journal/journal.ts';
import { stopSchema } from '../result/sections/stop.ts';
import { warningSchema } from '../result/sections/warning.ts';
import { workerMachineSchema } from '../result/sections/worker.ts';

/** Milliseconds on the clock that all processes of one machine share, with fractions. */
const commonInstant = z.number().min(0);

/** What a shard says. Everything that comes from another process is parsed by this. */
export const fromShardSchema = z.discriminatedUnion('kind', [
  /** Its scenario is loaded, its hash is the coordinator's, its sockets fit and its generator is primed. */
  z.object({ kind: z.literal('ready'), worker: workerMachineSchema }),
  /** It will not play; nothing was sent. */
  z.object({
    kind: z.literal('refused'),
    code: z.enum(['usage', 'environment']),
    message: z.string(),
    hint: z.string(),
    /** The name of its machine. */
    host: z.string(),
  }),
  /** It has begun, so late after the appointed instant. */
  z.object({ kind: z.literal('started'), lateMs: z.number() }),
  /** An interval of it is closed. `number`: from 1, without gaps. */
  z.object({
    kind: z.literal('piece'),
    number: z.int().min(1),
    piece: snapshotSchema,
    ...generatorAccountSchema.shape,
  }),
  /** Once a second, whether anything happened or not. */
  z.object({ kind: z.literal('pulse'), live: liveSchema, droughts: droughtsSchema }),
  z.object({ kind: z.literal('warning'), warning: warningSchema }),
  /** Its target never worked, as far as it has seen. */
  z.object({
    kind: z.literal('unfit'),
    operation: z.enum(['create', 'message']),
    outcome: z.enum(finishedClassNames as [FinishedClass, ...FinishedClass[]]),
    count: z.int().min(1),
    first: z.string(),
  }),
  /** It stops by itself, because of what it has seen. `of`: which cap was reached. */
  z.object({
    kind: z.literal('stopping'),
    stop: stopSchema,
    of: z.enum(['turns', 'sessions', 'cost']).nullable(),
  }),
  /** It is over, and nothing of it is missing. `pieces`: their number. */
  z.object({
    kind: z.literal('ended'),
    pieces: z.int().min(0),
    elapsedMs: z.number().min(0),
    /** Who ended it before its time, neither the coordinator nor the plan; `null`: nobody. */
    early: z.string().nullable(),
    ...generatorAccountSchema.shape,
  }),
  /** It could not go on; what it published holds. */
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);
export type FromShard = z.infer<typeof fromShardSchema>;

/** What a shard is told. */
export const toShardSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), at: commonInstant }),
  /** Raises the level to which the shard is to stop. `by`: who says so, where it is not the coordinator. */
  z.object({ kind: z.literal('stop'), level: z.enum(['drain', 'halt', 'cut']), by: z.string().optional() }),
]);
export type ToShard = z.infer<typeof toShardSchema>;
