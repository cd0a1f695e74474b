import { z } from 'zod';
import { durationMs, sizeBytes, text } from '../../base/field.ts';
import { generatorHealthSchema } from './generator-health.ts';

/** The process that plays a shard, and its machine. */
export const workerMachineSchema = z.object({
  host: text('The name of its machine'),
  pid: z.int().min(1).describe('Its process id'),
  cpuModel: text('The model of its processor'),
  cores: z.int().min(1).describe('Processor cores that it may use (count)'),
  memoryBytes: sizeBytes('The memory of its machine'),
  os: text('The operating system and its release'),
  arch: text('The processor architecture'),
  nodeVersion: text('The version of Node.js'),
  toolVersion: text('The version of chat-load'),
});
export type WorkerMachine = z.infer<typeof workerMachineSchema>;

const counted = (meaning: string) =>
  z.int().min(0).nullable().describe(`${meaning} (count; null if unknown, as in the result of a run that died)`);

/** One shard of a run, and who played it. */
export const workerSchema = workerMachineSchema.extend({
  shard: z.int().min(0).describe('Its shard: the sessions whose (number - 1) mod the number of shards is this'),
  startLateMs: z
    .number()
    .nullable()
    .describe(
      'How long after the appointed instant it began, by the common clock (milliseconds; null if it never did)',
    ),
  clockUncertaintyMs: durationMs('How far its clock may be off the common one: half the least round trip to it'),
  sessionsStarted: counted('Sessions that it started, the warm-up included'),
  turnsFinished: counted('Turns that it finished, ok or failed, the warm-up included'),
  generator: generatorHealthSchema.nullable().describe('The load on its process; null if not measured'),
  lost: z
    .object({
      atMs: durationMs('Up to when what it did is in this result, since the start of the run'),
      reason: text('How that was noticed'),
    })
    .nullable()
    .describe(
      'Of a shard that fell silent: what happened in it from then on is not in this result. Null: none of it is missing',
    ),
});
export type Worker = z.infer<typeof workerSchema>;
