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

/** The machine and build that generated the load: runs of different machine classes cannot be compared. */
export const environmentSchema = z.object({
  host: text('The name of the machine'),
  cpuModel: text('The model of its processor'),
  cores: z.int().min(1).describe('Processor cores that the process may use (count)'),
  memoryBytes: sizeBytes('Its memory'),
  os: text('The operating system and its release'),
  arch: text('The processor architecture'),
  nodeVersion: text('The version of Node.js'),
  calibrationMs: z
    .number()
    .nullable()
    .describe('Time of a fixed calculation, to recognize a slower machine (milliseconds; null when not measured)'),
  git: z
    .object({
      commit: text('The commit of the working directory'),
      branch: z.string().nullable().describe('Its branch; null when detached'),
      dirty: z.boolean().describe('Whether there were uncommitted changes'),
    })
    .nullable()
    .describe('The repository that the run was started in; null when there was none'),
  workers: z
    .array(workerSchema)
    .nullable()
    .describe('The shards of the run, by their number, and who played them; null for a run of one process'),
  startSkewMs: z
    .number()
    .min(0)
    .nullable()
    .describe(
      'From the start of the earliest shard to that of the latest, by the common clock (milliseconds; null for a run of one process)',
    ),
});
export type Environment = z.infer<typeof environmentSchema>;

/** The environment of a run that workers played: the machine is that of the first shard, each is in the list. */
export function describeFleet(coordinator: Environment, workers: readonly Worker[]): Environment {
  const [first] = workers;
  if (first === undefined) return coordinator;
  const { host, cpuModel, cores, memoryBytes, os, arch, nodeVersion } = first;
  const isHere = host === coordinator.host;
  const lates = workers.flatMap(({ startLateMs }) => startLateMs ?? []);
  return {
    ...coordinator,
    host,
    cpuModel,
    cores,
    memoryBytes,
    os,
    arch,
    nodeVersion,
    calibrationMs: isHere ? coordinator.calibrationMs : null,
    workers: [...workers],
    startSkewMs: lates.length === 0 ? null : Math.max(...lates) - Math.min(...lates),
  };
}
