import { z } from 'zod';

/** What the past of a scenario says of one metric's noise, on the scale of comparison. */
const metricHistorySchema = z.object({
  /** Pooled variance of runs of one release within their sittings; `null` when every sitting had one run. */
  runVariance: z.number().min(0).nullable(),
  runDegrees: z.int().min(0),
  /**
   * Pooled variance of the means of sittings within releases, each since its last change; `null` with fewer than two
   * sittings of any release.
   */
  sittingVariance: z.number().min(0).nullable(),
  sittingDegrees: z.int().min(0),
  /** The mean number of runs behind a sitting's mean. */
  runsPerSitting: z.number().min(0),
});
export type MetricHistory = z.infer<typeof metricHistorySchema>;

/** The figures of one release in one sitting. */
const pastPointSchema = z.object({
  /** Which of the group's observations. */
  of: z.int().min(0),
  /** The mean over the runs, on the scale of comparison. */
  level: z.number(),
  runs: z.int().min(1),
  /** The squared distances of the runs from it, added up. */
  scatter: z.number().min(0),
  /** The variance within a run, as far as runs know it of themselves. */
  withinRuns: z.number().min(0),
});
export type PastPoint = z.infer<typeof pastPointSchema>;

/** The runs of one release in one sitting. */
const observationSchema = z.object({
  sitting: z.string(),
  release: z.string(),
  runs: z.array(z.object({ id: z.string(), startedAt: z.string() })).min(1),
});
export type PastObservation = z.infer<typeof observationSchema>;

/** The history of the runs that can be compared with one another. */
const historyGroupSchema = z.object({
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
  /** The source of the noise, so that compared sittings can be excluded. */
  observations: z.array(observationSchema).default([]),
  points: z.record(z.string(), z.array(pastPointSchema)).default({}),
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
