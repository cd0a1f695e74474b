import { z } from 'zod';

/** A distribution that was fitted, in the unit of its part. Every kind is one that a scenario can ask for. */
export const distributionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), value: z.number() }),
  z.object({ kind: z.literal('uniform'), min: z.number(), max: z.number() }),
  z.object({ kind: z.literal('exponential'), mean: z.number() }),
  z.object({
    kind: z.literal('lognormal'),
    median: z.number(),
    sigma: z.number().describe('Standard deviation of the logarithm'),
  }),
  z.object({
    kind: z.literal('normal'),
    mean: z.number(),
    sd: z.number().describe('Before rounding; at least 1 is drawn'),
  }),
  z.object({
    kind: z.literal('weights'),
    ranges: z
      .array(z.object({ min: z.int(), max: z.int(), weight: z.number() }))
      .describe('Within a range every number is equally likely'),
  }),
  z.object({
    kind: z.literal('gamma'),
    mean: z.number(),
    burstiness: z.number().describe('k: the coefficient of variation is 1 / sqrt(k)'),
  }),
]);
export type Distribution = z.infer<typeof distributionSchema>;
