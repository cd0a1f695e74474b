import { z } from 'zod';

const droughtSchema = z.object({
  /** When an attempt last ended that ends a drought, since the start of the run; `null`: never. */
  endedAtMs: z.number().nullable(),
  /** The failures since; `null`: none. */
  failures: z
    .object({
      count: z.int().min(1),
      /** Whether a turn is among them. */
      hasTurns: z.boolean(),
      fromMs: z.number(),
      untilMs: z.number(),
      /** The first of them, in words. */
      first: z.string(),
    })
    .nullable(),
});

/** What a watchdog has seen, so that those of several shards can be judged as one. */
export const droughtsSchema = z.object({
  noSuccess: droughtSchema,
  targetGone: droughtSchema,
  /** When a session was last created, since the start of the run; `null`: never. */
  createdAtMs: z.number().nullable(),
});
export type Droughts = z.infer<typeof droughtsSchema>;
export type DroughtState = z.infer<typeof droughtSchema>;
