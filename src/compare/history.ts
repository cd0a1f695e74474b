import { z } from 'zod';

/** What the past of a scenario says of one metric's noise, on the scale of comparison. */
export const metricHistorySchema = z.object({
  /** Pooled variance of runs within their sittings; `null` when every sitting had one run. */
  runVariance: z.number().min(0).nullable(),
  runDegrees: z.int().min(0),
  /** Residual variance of the means of sittings in the newest segment; `null` with fewer than two sittings. */
  sittingVariance: z.number().min(0).nullable(),
  sittingDegrees: z.int().min(0),
  /** The mean number of runs behind a sitting's mean. */
  runsPerSitting: z.number().min(0),
});
export type MetricHistory = z.infer<typeof metricHistorySchema>;

/** The history of the runs that can be compared with one another. */
export const historyGroupSchema = z.object({
  scenario: z.object({ name: z.string(), hash: z.string() }),
  /** Processor, cores, memory, system and Node.js, in words. */
  machineClass: z.string(),
  /** Load model and level, target kind and profile, lengths: a hash of what has to be equal beside the two above. */
  loadHash: z.string(),
  sittings: z.int(),
  runs: z.int(),
  /** ISO 8601, of the first and the last run. */
  from: z.string(),
  to: z.string(),
  metrics: z.record(z.string(), metricHistorySchema),
});
export type HistoryGroup = z.infer<typeof historyGroupSchema>;

/** What `trend` keeps for `compare`. */
export const historySchema = z.object({
  kind: z.literal('chat-load/history'),
  schemaVersion: z.literal(1),
  groups: z.array(historyGroupSchema),
});
export type History = z.infer<typeof historySchema>;
