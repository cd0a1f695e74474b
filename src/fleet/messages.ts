import { z } from 'zod';
import { finishedClassNames, type FinishedClass } from '../protocol/outcome.ts';
import { liveSchema } from './shard-figures.ts';
import { droughtsSchema } from '../schedule/stop/watchdog.ts';
import type { AttemptFact } from '../model-calls/attempt-facts.ts';
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

/** Messages of a shard. Everything received from another process is parsed with this schema. */
export const fromShardSchema = z.discriminatedUnion('kind', [
  /** Sent when the scenario is loaded with the coordinator's hash, the sockets suffice and the generator is primed. */
  z.object({ kind: z.literal('ready'), worker: workerMachineSchema }),
  /** Sent when the shard cannot run; nothing was sent to the target. */
  z.object({
    kind: z.literal('refused'),
    code: z.enum(['usage', 'environment']),
    message: z.string(),
    hint: z.string(),
    /** Name of its machine. */
    host: z.string(),
  }),
  /** Sent at the start; `lateMs`: delay after the appointed instant. */
  z.object({ kind: z.literal('started'), lateMs: z.number() }),
  /** A closed interval. `number`: from 1, without gaps. */
  z.object({
    kind: z.literal('piece'),
    number: z.int().min(1),
    piece: snapshotSchema,
    ...generatorAccountSchema.shape,
  }),
  /** Sent once a second, even if nothing happened. */
  z.object({ kind: z.literal('pulse'), live: liveSchema, droughts: droughtsSchema }),
  z.object({ kind: z.literal('warning'), warning: warningSchema }),
  /** Facts about attempts for the model service, at most every 20 ms; sent by processes of this machine only. */
  z.object({ kind: z.literal('attempts'), facts: z.custom<readonly AttemptFact[]>(Array.isArray) }),
  /** Sent when the target never worked for this shard. */
  z.object({
    kind: z.literal('unfit'),
    operation: z.enum(['create', 'message']),
    outcome: z.enum(finishedClassNames as [FinishedClass, ...FinishedClass[]]),
    count: z.int().min(1),
    first: z.string(),
  }),
  /** Sent when the shard stops by itself. `of`: the reached cap. */
  z.object({
    kind: z.literal('stopping'),
    stop: stopSchema,
    of: z.enum(['turns', 'sessions', 'cost']).nullable(),
  }),
  /** Sent at the end, when everything was published. `pieces`: number of published intervals. */
  z.object({
    kind: z.literal('ended'),
    pieces: z.int().min(0),
    elapsedMs: z.number().min(0),
    /** Cause of an early end other than the coordinator and the plan; `null`: none. */
    early: z.string().nullable(),
    ...generatorAccountSchema.shape,
  }),
  /** Sent when the shard could not continue; its published intervals remain valid. */
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);
export type FromShard = z.infer<typeof fromShardSchema>;

/** Messages to a shard. */
export const toShardSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), at: commonInstant }),
  /** Raises the stop level. `by`: the source, if it is not the coordinator. */
  z.object({ kind: z.literal('stop'), level: z.enum(['drain', 'halt', 'cut']), by: z.string().optional() }),
]);
export type ToShard = z.infer<typeof toShardSchema>;

/** Job of a worker: one shard of a run. Contains neither secrets nor code: the worker has its own scenario and key. */
export const shardJobSchema = z.object({
  /** ID of the run. */
  run: z.string().regex(/^[\w-]{1,64}$/),
  /** Salt of the integrity guard. */
  salt: z.string().regex(/^[0-9a-z]{8}$/),
  shard: z
    .object({ index: z.int().min(0), count: z.int().min(1).max(10_000) })
    .refine(({ index, count }) => index < count, 'the index of a shard is below their number'),
  /** Path of the scenario below the folder that the run was started in, with forward slashes. */
  scenario: z.string().min(1).max(1000),
  /** SHA-256 of the scenario file; `null`: not compared, because the command itself loaded the file. */
  scenarioDigest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  plan: planSchema,
  /** Hash of the first sessions' messages; `null`: not compared. */
  sample: z.string().nullable(),
  /** Base URL of the target, or of the embedded service. */
  baseUrl: z.url({ protocol: /^https?$/ }),
  /** Required versions of a worker: chat-load's exact version, and Node.js's major version. */
  toolVersion: z.string(),
  nodeMajor: z.int(),
});
export type ShardJob = z.infer<typeof shardJobSchema>;

/** Stop of the run when a shard stops by itself. */
export type ShardStop = Exclude<
  RunStop,
  { kind: 'signal' | 'caller_error' | 'target_unfit' | 'checks_failed' | 'journal' | 'model_lost' }
>;

/** Returns the run's stop for a shard's; `undefined` for stops that a shard cannot have. */
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
    case 'model_lost':
      return undefined;
  }
}
