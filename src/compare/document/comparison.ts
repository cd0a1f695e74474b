import { z } from 'zod';
import { count, text, textOrNull, flag, numberOrNull } from '../../base/field.ts';

const verdictNames = ['improved', 'regressed', 'unchanged', 'inconclusive'] as const;
export type VerdictName = (typeof verdictNames)[number];

const interval = (meaning: string) =>
  z
    .object({
      low: z.number().describe('Lower end, on the scale of change'),
      high: z.number().describe('Upper end'),
    })
    .nullable()
    .describe(meaning);

const comparedRunSchema = z.object({
  file: textOrNull('File of the result; null when it was not read from a file'),
  id: text('Id of the run'),
  label: textOrNull('Label of the run'),
  startedAt: text('Start of the load (ISO 8601, UTC)'),
  seed: z.int().describe('Seed of its sessions'),
  sitting: textOrNull('Batch of runs, shared by runs that were measured one after another'),
  pair: textOrNull('Shared by the two runs of an interleaved pair'),
  validity: z.enum(['valid', 'degraded', 'invalid']).describe('Validity verdict of the run'),
  target: textOrNull('Base URL of the target; null for the embedded service'),
});
const sideSchema = z.object({
  label: text('Label of the side'),
  runs: z.array(comparedRunSchema).min(1).describe('Runs of the side'),
});

const differenceSchema = z.object({
  key: text('Differing property, such as scenario.hash or plan.options.thinkTime'),
  base: text('Value on the base side'),
  head: text('Value on the head side'),
  message: text('Consequence of the difference'),
});
export type Difference = z.infer<typeof differenceSchema>;

const refusalSchema = differenceSchema.extend({
  runs: z
    .array(z.string())
    .optional()
    .describe('Runs that must not be compared, by reason; missing if the reason is a difference between the sides'),
  remedy: textOrNull('Remedy; null: compare runs with equal values'),
});
export type Refusal = z.infer<typeof refusalSchema>;

export const comparabilitySchema = z.object({
  isComparable: flag('True if nothing prevents the comparison'),
  forced: flag('True if the comparison was made although something prevents it'),
  refusals: z.array(refusalSchema).describe('Reasons why the comparison is meaningless'),
  warnings: z.array(differenceSchema).describe('Differences that may explain a change'),
});
export type Comparability = z.infer<typeof comparabilitySchema>;

export const metricComparisonSchema = z.object({
  name: text('Name of the metric, as in gates'),
  unit: z.enum(['ms', 'share', 'perSecond', 'ratio', 'count', 'cost', 'verdict']).describe('Unit of base and head'),
  worse: z.enum(['higher', 'lower']).describe('Direction of a regression'),
  isGated: flag('True if it can fail the comparison; otherwise it is informational'),
  notGatedBecause: textOrNull('Reason why a metric of the gate family is not gated here; null otherwise'),
  verdict: z.enum([...verdictNames, 'no_data']).describe('no_data: a side has too few values or none'),
  reason: textOrNull('Reason for an inconclusive verdict or missing data, or a further remark; null otherwise'),
  base: numberOrNull('Value of the base side: the mean over its runs on the scale of comparison'),
  head: numberOrNull('Value of the head side'),
  change: numberOrNull('head / base - 1; for a share head - base; null when it could not be estimated'),
  ci95: interval('95 % confidence interval of change, not adjusted for the number of metrics; null if there is none'),
  ci90: interval('90 % confidence interval of change, which decides on unchanged; null if there is none'),
  margin: z.number().describe('Minimum relevant change, on the scale of change'),
  p: numberOrNull('Probability of such a difference between equal releases; null if there is none'),
  pAdjusted: numberOrNull('p adjusted over the family of metrics (Benjamini-Hochberg); null without p'),
  adjustedFor: z
    .int()
    .nullable()
    .describe(
      'Number of metrics with a p in that family; metrics without data, or without any event on either side, are not part of it; null without p',
    ),
  pBeyondMargin: numberOrNull('Probability that the change for the worse exceeds the margin'),
  smallestDetectable: numberOrNull(
    'Change that this comparison would detect in four of five cases, on the scale of change; null also if the base permits none',
  ),
  visibleFrom: numberOrNull(
    'Smallest change for the worse that is beyond noise and margin here, on the scale of change without sign: a smaller one cannot be seen; null without p, or if the base permits none',
  ),
  runsNeeded: z
    .int()
    .nullable()
    .describe(
      'Runs per side that would show a change of the margin in four of five cases (pairs or batches of runs, as design.unit); null when it is decided or unknown, or if the noise is assumed, which more runs do not reduce',
    ),
  noise: z
    .enum(['within_runs', 'between_runs'])
    .nullable()
    .describe('Dominant noise: within_runs: longer runs help; between_runs: more runs help'),
  degreesOfFreedom: numberOrNull(
    'Degrees of freedom of the interval; null without one, or if the assumed noise counts as known (normal quantiles)',
  ),
  priorDegreesOfFreedom: numberOrNull('Part of degreesOfFreedom from the history or the assumed noise; null likewise'),
  isNoiseAssumed: flag('True if the noise is design.assumedNoise, because neither a history nor the runs show it'),
  runs: z
    .object({ base: z.int().describe('Runs of the base side'), head: z.int().describe('Runs of the head side') })
    .describe('Number of runs with this figure'),
});
export type MetricComparison = z.infer<typeof metricComparisonSchema>;

const shiftPointSchema = z.object({
  name: text('Part of the run: p50, 20-30 %, turn 3-4, ...'),
  base: numberOrNull('Milliseconds'),
  head: numberOrNull('Milliseconds'),
  change: numberOrNull('head / base - 1'),
  ci95: interval('95 % confidence interval of change; null if there is none'),
});
export type ShiftPoint = z.infer<typeof shiftPointSchema>;

const whereSchema = z.object({
  shape: z.enum(['whole', 'tail', 'middle', 'none']).describe('Part of the turn latency distribution that moved'),
  summary: text('The shape as a sentence'),
  quantiles: z.array(shiftPointSchema).describe('Turn latency, quantile by quantile'),
  deciles: z.array(shiftPointSchema).describe('Mean turn latency by tenths of the measured time'),
  positions: z.array(shiftPointSchema).describe('Median turn latency by position in the conversation'),
  errors: z
    .array(
      z.object({
        class: text('Outcome class'),
        base: z.int().describe('Attempts of that class on the base side'),
        head: z.int().describe('Attempts of that class on the head side'),
        isNew: flag('True if the base side had none'),
      }),
    )
    .describe('Error classes of attempts on either side'),
});
export type Localization = z.infer<typeof whereSchema>;

const designSchema = z.object({
  unit: z.enum(['pair', 'run', 'sitting']).describe('Unit that counts as one observation; sitting: a batch of runs'),
  base: z.int().describe('Observations on the base side'),
  head: z.int().describe('Observations on the head side'),
  history: z
    .object({
      sittings: z.int().describe('Batches of runs in the history'),
      runs: z.int().describe('Runs in the history'),
      from: text('Start of its first run (ISO 8601, UTC)'),
      to: text('Start of its last run (ISO 8601, UTC)'),
    })
    .nullable()
    .describe('History that the noise estimate includes; null without a history'),
  assumedNoise: numberOrNull(
    'Assumed standard deviation between batches of runs, as a share: known if all runs started within 24 hours on one machine, otherwise worth 8 degrees of freedom; used for the gate family if neither the history nor the runs show more; amounts per turn are assumed to vary by one turn instead; null if nothing was assumed',
  ),
  falseDiscoveryRate: z.number().describe('Allowed share of false alarms among alarms: the q of Benjamini-Hochberg'),
});

const confirmationSchema = z.object({
  verdict: z.enum(['confirmed', 'not_confirmed']).describe('confirmed: at least one of the alarms was reproduced'),
  metrics: z
    .array(
      z.object({
        name: text('Metric that raised the alarm'),
        isConfirmed: flag('True if the alarm was reproduced, in the same direction'),
        change: numberOrNull('Change in the second set of runs: head / base - 1; for a share head - base'),
        p: numberOrNull('Probability of such a difference between equal releases; null if there is none'),
      }),
    )
    .describe('Result per alarm'),
});

/** Comparison of two releases: a pure function of the results and the history that it names. */
export const comparisonSchema = z
  .object({
    kind: z.literal('chat-load/comparison').describe('Type of this document'),
    schemaVersion: z
      .literal(1)
      .describe('Increases when a field is removed or changes its meaning; additional fields do not'),
    toolVersion: text('Version of chat-load'),
    verdict: z
      .enum([...verdictNames, 'not_comparable'])
      .describe('Verdict over the gate family: the worst one decides'),
    summary: text('Verdict as a sentence'),
    scenario: z
      .object({ name: text('Name of the scenario'), hash: text('SHA-256 of the workload and its policies') })
      .describe("Scenario of both sides; the base side's if they differ"),
    base: sideSchema.describe('Reference release'),
    head: sideSchema.describe('Release under test'),
    comparability: comparabilitySchema.describe('Conditions for a comparison, and which of them are not met'),
    broken: z
      .array(
        z.object({
          id: text('Id of the run'),
          file: textOrNull('File of the result; null when it was not read from a file'),
          reason: text('Failure of the service'),
        }),
      )
      .describe('Runs of the head that are invalid only because of its service: a regression, whatever the metrics'),
    design: designSchema.describe('Experimental design, and the sources of the noise estimate'),
    metrics: z.array(metricComparisonSchema).describe('The gate family first, then informational ones'),
    movers: z.array(z.string()).describe('Names of metrics whose change is beyond noise, the largest first'),
    localization: whereSchema
      .nullable()
      .describe(
        'Distribution of the change over quantiles, time, positions and errors; null when the sides were not compared',
      ),
    confirmation: confirmationSchema.nullable().describe('Second set of runs after an alarm; null if there is none'),
    failOnInconclusive: flag('True if an inconclusive verdict counts as a failure'),
    violatedRuns: count(
      'Runs of the head with integrity violations, which is a failure whatever the verdict; only ab counts them',
    ),
    warnings: z.array(z.string()).describe('Further warnings'),
  })
  .describe('Comparison of two releases by the results of their chat-load runs.');
export type Comparison = z.infer<typeof comparisonSchema>;
