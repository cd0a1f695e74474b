import { z } from 'zod';
import { finishedClassNames, type FinishedClass } from '../protocol/outcome.ts';
import { liveSchema } from './shard-figures.ts';
import { droughtsSchema } from '../schedule/stop/watchdog.ts';
import { snapshotSchema } from '../record/snapshot.ts';
import { generatorAccountSchema } from '../result/journal/journal.ts';
import { stopSchema } from '../result/sections/run-facts.ts';
import { warningSchema } from '../result/sections/warning.ts';
import { workerMachineSchema } from '../result/sections/environment.ts';
import { planSchema } from '../plan/plan.ts';
import { ChatLoadError } from '../base/errors.ts';
import type { RunStop } from '../schedule/stop/stop-controller.ts';

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

/** What is asked of a worker: one shard of a run. Holds no secret and no code: the worker has its own scenario and key. */
export const shardJobSchema = z.object({
  /** The id of the run. */
  run: z.string().regex(/^[\w-]{1,64}$/),
  shard: z
    .object({ index: z.int().min(0), count: z.int().min(1).max(10_000) })
    .refine(({ index, count }) => index < count, 'the index of a shard is below their number'),
  /** Path of the scenario below the folder that the run was started in, with forward slashes. */
  scenario: z.string().min(1).max(1000),
  /** SHA-256 of the bytes of the scenario file; `null`: not compared, since the file is that of the command itself. */
  scenarioDigest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  plan: planSchema,
  /** A hash of what the first sessions say; `null`: it is not looked at. */
  sample: z.string().nullable(),
  /** Where the target is; that of the plan, or the embedded service's. */
  baseUrl: z.url({ protocol: /^https?$/ }),
  /** Versions that a worker has to have: chat-load's exactly, of Node.js the major version. */
  toolVersion: z.string(),
  nodeMajor: z.int(),
});
export type ShardJob = z.infer<typeof shardJobSchema>;

/** What a shard that stops by itself means for the run. */
export type ShardStop = Exclude<
  RunStop,
  { kind: 'signal' | 'caller_error' | 'target_unfit' | 'checks_failed' | 'journal' }
>;

/** `undefined` for a stop that a shard cannot have: it says nothing of the run. */
export function readShardStop({ stop, of }: Extract<FromShard, { kind: 'stopping' }>): ShardStop | undefined {
  const { kind, reason } = stop;
  switch (kind) {
    case 'circuit':
    case 'token_lost':
    case 'max_duration':
    case 'no_success':
    case 'target_gone':
    case 'gate':
    case 'fleet_lost':
      return { kind, why: reason };
    case 'cap':
      return { kind, of: of ?? 'turns', why: reason };
    case 'scenario_error':
      return {
        kind,
        error: new ChatLoadError('usage', {
          message: reason,
          hint: 'Fix the function in the scenario file; `chat-load plan` tries it without sending anything.',
        }),
      };
    case 'bug':
      return { kind, error: new Error(reason) };
    case 'target_unfit':
    case 'checks_failed':
    case 'signal':
    case 'caller_error':
    case 'journal':
      return undefined;
  }
}
