import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';

/** A distribution that was fitted, in the unit of its part. Scenarios support every kind. */
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
    sd: z.number().describe('Standard deviation before rounding; draws are at least 1'),
  }),
  z.object({
    kind: z.literal('weights'),
    ranges: z
      .array(z.object({ min: z.int(), max: z.int(), weight: z.number() }))
      .describe('Ranges with weights; within a range every number is equally likely'),
  }),
  z.object({
    kind: z.literal('gamma'),
    mean: z.number(),
    burstiness: z.number().describe('Shape k: the coefficient of variation is 1 / sqrt(k)'),
  }),
]);
export type Distribution = z.infer<typeof distributionSchema>;

export const fitUnits = ['ms', 'turns', 'tokens', 'characters', 'expected sessions'] as const;
export type FitUnit = (typeof fitUnits)[number];

/** Distribution of one quantity of the input, and its fit. */
export const quantityFitSchema = z.object({
  unit: z.enum(fitUnits),
  count: count('Number of fitted values'),
  isSampled: z.boolean().describe('True if quantiles and distance are computed from a seeded sample of the values'),
  zeros: count('Values below the resolution of their clock or unit, fitted as such'),
  distribution: distributionSchema,
  considered: z
    .array(
      z.object({
        kind: z.string(),
        parameters: z.int(),
        bic: z.number().describe('Bayesian information criterion: the smallest is chosen'),
        distance: z.number(),
      }),
    )
    .describe('All candidate distributions'),
  distance: z.number().describe('Kolmogorov distance: maximum difference between the shares below any value'),
  mean: z.object({ data: z.number(), fit: z.number() }),
  quantiles: z.array(z.object({ p: z.number(), data: z.number(), fit: z.number() })),
  poor: z
    .array(z.enum(['distance', 'p95']))
    .describe('distance: above 0.05; p95: off by more than 10 %; both beyond chance'),
});
export type QuantityFit = z.infer<typeof quantityFitSchema>;

export const arrivalFitSchema = z.object({
  sessions: count('Number of sessions'),
  lengthMs: durationMs('Time from the first session to the last'),
  sessionsPerSecond: z.number().describe('Mean rate'),
  rate: z
    .object({
      binMs: durationMs('Length of a bin; the last bin may be shorter'),
      perSecond: z.array(z.number()).describe('Sessions per second in each bin'),
      variation: z.number().describe('Standard deviation of the rate over its mean, beyond chance'),
      p: z.number().describe('Probability that a steady rate varies this much by chance'),
      varies: z.boolean().describe('True if the scenario has a level for each bin'),
    })
    .nullable()
    .describe('Rate over time; null if there are too few sessions'),
  process: z.enum(['constant', 'poisson', 'gamma']),
  burstiness: z
    .number()
    .nullable()
    .describe('Shape k of gamma gaps; null if unknown, then Poisson arrivals are assumed'),
  interval: z.object({ low: z.number(), high: z.number() }).nullable().describe('95 % confidence interval of k'),
  by: z
    .enum(['likelihood', 'moments', 'counts'])
    .nullable()
    .describe('Estimation method of k: moments if gaps of 0 occur, counts if the clock is too coarse for gaps'),
  dispersion: z
    .number()
    .nullable()
    .describe('Variance over mean of the counts of neighbouring windows; about 1 / k if gaps are independent'),
  gaps: quantityFitSchema.nullable().describe('Gaps relative to the varying rate; their mean is 1'),
});
export type ArrivalFit = z.infer<typeof arrivalFitSchema>;

export const fitNotes = [
  /** Under 30 sessions. */
  'few_sessions',
  /** Under 100 gaps between sessions. */
  'few_arrivals',
  'one_instant',
  'no_arrivals',
  /** Sessions start in clusters that independent gaps do not produce. */
  'clusters',
  'coarse_clock',

  'one_turn_each',
  'few_gaps',
  'no_gaps',
  /** Gaps between turns include the reply. */
  'reply_time_included',
  'reply_time_subtracted',
  'reply_time_known',
  'no_lengths',
  'few_lengths',
  /** Input tokens of later turns cover the whole conversation so far. */
  'input_is_context',
  'input_is_message',
  /** Under 30 later turns with input tokens. */
  'few_later_turns',
  'reply_lengths_unused',
  'many_turns',
] as const;
export type FitNote = (typeof fitNotes)[number];

/** Durations and lengths of 0 in the input. */
const zerosSchema = z.object({
  of: z.enum(['inputTokens', 'outputTokens', 'growth', 'replies', 'replyTimes', 'gaps', 'starts']),
  zeros: count('Number of values of 0'),
  values: count('Number of all values'),
  use: z
    .enum(['missing', 'short'])
    .describe(
      'missing: failed requests or missing values, which are omitted; short: below the resolution of the clock',
    ),
});
export type FitZeros = z.infer<typeof zerosSchema>;

/** A workload fitted to a trace, to conversations, or to both: what `chat-load fit` publishes. */
export const fitSchema = z.object({
  kind: z.literal('chat-load/fit'),
  schemaVersion: z.literal(1),
  toolVersion: text('Version of chat-load'),
  inputs: z.array(
    z.object({
      file: text('Path as given'),
      holds: z.enum(['trace', 'conversations']),
      count: count('Number of sessions or conversations'),
      digest: text('SHA-256 of the file'),
      malformedLines: count('Malformed lines, which are omitted'),
      firstMalformed: z.array(z.string()).describe('First malformed lines, with their problems'),
      form: z.string().optional().describe('Format of a trace'),
      times: z.string().optional().describe('Description of the times of a trace, such as `seconds (assumed)`'),
      doubts: z.array(z.string()).optional().describe('Warnings about the reading of a trace'),
    }),
  ),
  columns: z.record(z.string(), z.string()).optional().describe('Column mapping of the trace, if it was given'),
  sort: z.boolean().optional().describe('True if the trace was sorted when it was read'),
  seed: z.int().describe('Seed of the samples'),
  replyTimeMs: durationMs('Assumed reply time, subtracted from each gap between turns; 0 if nothing was subtracted'),
  arrivals: arrivalFitSchema.nullable().describe('Arrivals of sessions; null if the input has none'),
  turns: quantityFitSchema.nullable().describe('Turns per session'),
  thinkTime: quantityFitSchema.nullable().describe('Time between turns'),
  messageLength: quantityFitSchema.nullable().describe('Length of user messages'),
  replyLength: quantityFitSchema.nullable().describe('Length of replies, which scenarios cannot set'),
  zeros: z.array(zerosSchema).describe('Durations and lengths of 0, and their use'),
  notes: z.array(z.enum(fitNotes)),
});
export type Fit = z.infer<typeof fitSchema>;
