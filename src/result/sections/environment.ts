import { z } from 'zod';
import { durationMs, sizeBytes, text, numberOrNull, textOrNull, flag, amountOrNull } from '../../base/field.ts';
import { generatorHealthSchema } from './generator-health.ts';

const machineShape = {
  cpuModel: text('Processor model'),
  cores: z.int().min(1).describe('Available processor cores (count)'),
  memoryBytes: sizeBytes('Memory of the machine'),
  os: text('Operating system and its release'),
  arch: text('Processor architecture'),
  nodeVersion: text('Version of Node.js'),
};

export const workerMachineSchema = z.object({
  host: text('Name of the machine'),
  pid: z.int().min(1).describe('Process id'),
  ...machineShape,
  toolVersion: text('Version of chat-load'),
});
export type WorkerMachine = z.infer<typeof workerMachineSchema>;

const counted = (meaning: string) =>
  z.int().min(0).nullable().describe(`${meaning} (count; null if unknown, as in the result of a run that died)`);

export const workerSchema = workerMachineSchema.extend({
  shard: z
    .int()
    .min(0)
    .describe(
      'Shard number, from 0: the shard runs the sessions whose (number - 1) modulo the number of shards equals the shard number',
    ),
  startLateMs: numberOrNull(
    'Delay of its start after the scheduled instant, by the common clock (milliseconds; null if it never started)',
  ),
  clockUncertaintyMs: durationMs(
    'Maximum error of its clock relative to the common clock: half the minimum round trip',
  ),
  sessionsStarted: counted('Sessions started, including the warm-up'),
  turnsFinished: counted('Turns finished, ok or failed, including the warm-up'),
  generator: generatorHealthSchema.nullable().describe('Load on its process; null if not measured'),
  lost: z
    .object({
      atMs: durationMs('End of its part in this result, since the start of the run'),
      reason: text('Reason for giving up the shard'),
    })
    .nullable()
    .describe('Loss of a shard that fell silent: its later events are not in this result; null if nothing is missing'),
});
export type Worker = z.infer<typeof workerSchema>;

/** Machine and build that generated the load: runs of different machine classes cannot be compared. */
export const environmentSchema = z.object({
  host: text('Name of the machine'),
  ...machineShape,
  calibrationMs: numberOrNull(
    'Time of a fixed calculation, to detect a slower machine (milliseconds; null when not measured)',
  ),
  git: z
    .object({
      commit: text('Commit of the working directory'),
      branch: textOrNull('Branch; null when detached'),
      dirty: flag('True if there were uncommitted changes'),
    })
    .nullable()
    .describe('Repository in which the run was started; null if there is none'),
  workers: z
    .array(workerSchema)
    .nullable()
    .describe('Shards of the run with their workers, by number; null for a run of one process'),
  startSkewMs: amountOrNull(
    'Time from the start of the earliest shard to the start of the latest, by the common clock (milliseconds; null for a run of one process)',
  ),
});
export type Environment = z.infer<typeof environmentSchema>;

export function describeFleet(coordinator: Environment, workers: readonly Worker[]): Environment {
  const [first] = workers;
  if (first === undefined) return coordinator;
  const { host, cpuModel, cores, memoryBytes, os, arch, nodeVersion } = first;
  const machine = { host, cpuModel, cores, memoryBytes, os, arch, nodeVersion };
  const delays = workers.flatMap(({ startLateMs }) => startLateMs ?? []);
  return {
    ...coordinator,
    ...machine,
    calibrationMs: host === coordinator.host ? coordinator.calibrationMs : null,
    workers: [...workers],
    startSkewMs: delays.length === 0 ? null : Math.max(...delays) - Math.min(...delays),
  };
}
