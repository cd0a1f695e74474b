import { z } from 'zod';
import { sizeBytes, text } from '../../base/field.ts';
import { workerSchema } from './worker.ts';

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
