import { z } from 'zod';
import { planSchema } from '../plan/plan.ts';

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
