import { z } from 'zod';
import { count, text } from '../../base/field.ts';

const verdictNames = ['improved', 'regressed', 'unchanged', 'inconclusive'] as const;
export type VerdictName = (typeof verdictNames)[number];

const interval = (meaning: string) =>
  z
    .object({
      low: z.number().describe('Its lower end, on the scale of change'),
      high: z.number().describe('Its upper end'),
    })
    .nullable()
    .describe(meaning);

/** A run as the comparison names it. */
const comparedRunSchema = z.object({
  file: z.string().nullable().describe('Where its result was read from; null when it was not read from a file'),
  id: text('The run'),
  label: z.string().nullable().describe('Its label'),
  startedAt: text('Start of the load (ISO 8601, UTC)'),
  seed: z.int().describe('The seed of its sessions'),
  sitting: z.string().nullable().describe('Shared by runs measured one after another'),
  pair: z.string().nullable().describe('Shared by the two runs of an interleaved pair'),
  validity: z.enum(['valid', 'degraded', 'invalid']).describe("The run's own verdict on itself"),
  target: z.string().nullable().describe('The base URL; null for the embedded service'),
});
const sideSchema = z.object({
  label: text('The label of the side'),
  runs: z.array(comparedRunSchema).min(1).describe('Its runs'),
});

const differenceSchema = z.object({
  key: text('What differs, such as scenario.hash or plan.options.thinkTime'),
  base: text('Its value on the base side'),
  head: text('Its value on the head side'),
  message: text('What that means, in words'),
});
export type Difference = z.infer<typeof differenceSchema>;

const refusalSchema = differenceSchema.extend({
  remedy: z.string().nullable().describe('What to do about it; null: compare runs that agree in it'),
});
export type Refusal = z.infer<typeof refusalSchema>;

export const comparabilitySchema = z.object({
  isComparable: z.boolean().describe('Whether nothing refuses the comparison'),
  forced: z.boolean().describe('Whether it was made although something refuses it'),
  refusals: z.array(refusalSchema).describe('What makes the comparison meaningless'),
  warnings: z.array(differenceSchema).describe('What differs and may explain a change'),
});
export type Comparability = z.infer<typeof comparabilitySchema>;

export const metricComparisonSchema = z.object({
  name: text('The metric, as gates write it'),
  unit: z.enum(['ms', 'share', 'perSecond', 'ratio', 'count', 'verdict']).describe('The unit of base and head'),
  worse: z.enum(['higher', 'lower']).describe('The direction of a regression'),
  isGated: z.boolean().describe('Whether it can fail the comparison; if not, it is informational'),
  notGatedBecause: z.string().nullable().describe('Why a metric of the gate family is not gated here; null otherwise'),
  verdict: z.enum([...verdictNames, 'no_data']).describe('no_data: too few values, or none, on a side'),
  reason: z
    .string()
    .nullable()
    .describe('Why it is inconclusive or without data, or what else to know; null otherwise'),
  base: z.number().nullable().describe('The base side in the unit: the mean over its runs on the scale of comparison'),
  head: z.number().nullable().describe('The head side in the unit'),
  change: z
    .number()
    .nullable()
    .describe('head / base - 1; for a share head - base; null when it could not be estimated'),
  ci95: interval('95 % confidence interval of change, not adjusted for the number of metrics; null without one'),
  ci90: interval('90 % confidence interval of change, which decides on unchanged; null without one'),
  margin: z.number().describe('The least change that matters, on the scale of change'),
  p: z.number().nullable().describe('Probability of such a difference between equal releases; null without one'),
  pAdjusted: z.number().nullable().describe('The same, by Benjamini-Hochberg over its family; null without one'),
  pBeyondMargin: z.number().nullable().describe('Probability that the change for the worse exceeds the margin'),
  smallestDetectable: z
    .number()
    .nullable()
    .describe('The change that this comparison would have found in four of five cases, on the scale of change'),
  runsNeeded: z
    .int()
    .nullable()
    .describe(
      'Runs per side that would decide it, sittings where design.unit says so; null when it is decided, or unknown',
    ),
  noise: z
    .enum(['within_runs', 'between_runs'])
    .nullable()
    .describe('Which noise rules: longer runs, or more runs, help'),
  degreesOfFreedom: z.number().nullable().describe('Degrees of freedom behind the interval'),
  priorDegreesOfFreedom: z.number().nullable().describe('Of these, those from the history or the assumed noise'),
  isNoiseAssumed: z.boolean().describe('Whether these come from design.assumedNoise, since there is no history'),
  runs: z
    .object({ base: z.int().describe('On the base side'), head: z.int().describe('On the head side') })
    .describe('Runs with this figure'),
});
export type MetricComparison = z.infer<typeof metricComparisonSchema>;

const shiftPointSchema = z.object({
  name: text('Which part: p50, third minute, turn 3-4, ...'),
  base: z.number().nullable().describe('Milliseconds'),
  head: z.number().nullable().describe('Milliseconds'),
  change: z.number().nullable().describe('head / base - 1'),
  ci95: interval('95 % confidence interval of change; null without one'),
});
export type ShiftPoint = z.infer<typeof shiftPointSchema>;

const whereSchema = z.object({
  shape: z.enum(['whole', 'tail', 'middle', 'none']).describe('Which part of the turn latencies moved'),
  summary: text('The same in a sentence'),
  quantiles: z.array(shiftPointSchema).describe('Turn latency, quantile by quantile'),
  deciles: z.array(shiftPointSchema).describe('Mean turn latency by tenths of the measured time'),
  positions: z.array(shiftPointSchema).describe('Median turn latency by position in the conversation'),
  errors: z
    .array(
      z.object({
        class: text('The outcome class'),
        base: z.int().describe('Attempts of that class on the base side'),
        head: z.int().describe('On the head side'),
        isNew: z.boolean().describe('Whether the base side had none'),
      }),
    )
    .describe('Error classes of attempts, of either side'),
});
export type Localization = z.infer<typeof whereSchema>;

const designSchema = z.object({
  unit: z.enum(['pair', 'run', 'sitting']).describe('What the statistics count as one observation'),
  base: z.int().describe('Observations on the base side'),
  head: z.int().describe('Observations on the head side'),
  history: z
    .object({
      sittings: z.int().describe('Sittings in it'),
      runs: z.int().describe('Runs in it'),
      from: text('Start of its first run (ISO 8601, UTC)'),
      to: text('Start of its last run (ISO 8601, UTC)'),
    })
    .nullable()
    .describe('The history that the noise was also estimated from; null when there was none'),
  assumedNoise: z
    .number()
    .nullable()
    .describe(
      'Standard deviation, as a share, by which sittings were assumed to differ, worth 4 degrees of freedom, for the gate family, if neither history nor the runs show it; null if nothing was assumed',
    ),
  falseDiscoveryRate: z.number().describe('Share of false alarms allowed among alarms: the q of Benjamini-Hochberg'),
});

const confirmationSchema = z.object({
  verdict: z.enum(['confirmed', 'not_confirmed']).describe('Whether any of the alarms was found again'),
  metrics: z
    .array(
      z.object({
        name: text('The metric that had raised the alarm'),
        isConfirmed: z.boolean().describe('Whether it was found again, in the same direction'),
        change: z.number().nullable().describe('In the second set of runs: head / base - 1; for a share head - base'),
        p: z.number().nullable().describe('Probability of such a difference between equal releases; null without one'),
      }),
    )
    .describe('The alarms, one by one'),
});

/** What the comparison of two releases found: a pure function of the results and the history that it names. */
export const comparisonSchema = z
  .object({
    kind: z.literal('chat-load/comparison').describe('The type of this document'),
    schemaVersion: z
      .literal(1)
      .describe('Increases when a field is removed or changes its meaning; added fields leave it as it is'),
    toolVersion: text('The version of chat-load'),
    verdict: z.enum([...verdictNames, 'not_comparable']).describe('Over the gate family: the worst verdict decides'),
    summary: text('The verdict in a sentence'),
    scenario: z
      .object({ name: text('The name of the scenario'), hash: text('SHA-256 of the workload and its policies') })
      .describe('What both sides were asked to run; that of the base side if they differ'),
    base: sideSchema.describe('The release compared with'),
    head: sideSchema.describe('The release to be judged'),
    comparability: comparabilitySchema.describe('Whether the sides can be compared at all'),
    broken: z
      .array(
        z.object({
          id: text('The run'),
          file: z.string().nullable().describe('Where its result was read from'),
          reason: text('What the service did'),
        }),
      )
      .describe('Runs of the head that only its service made invalid: a regression, whatever the metrics'),
    design: designSchema.describe('What the statistics rest on'),
    metrics: z.array(metricComparisonSchema).describe('The gate family first, then informational ones'),
    movers: z.array(z.string()).describe('Names of metrics whose change is beyond noise, the largest first'),
    localization: whereSchema.nullable().describe('What changed and where; null when the sides were not compared'),
    confirmation: confirmationSchema
      .nullable()
      .describe('A second set of runs after an alarm; null when there was none'),
    failOnInconclusive: z.boolean().describe('Whether nothing shown either way counts as a failure'),
    violatedRuns: count(
      'Runs of the head in which replies broke the integrity of conversations, which is a failure whatever the verdict; only ab counts them',
    ),
    warnings: z.array(z.string()).describe('What else a reader should know'),
  })
  .describe('The comparison of two releases by the results of their chat-load runs.');
export type Comparison = z.infer<typeof comparisonSchema>;
