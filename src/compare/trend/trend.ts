import { z } from 'zod';
import { text } from '../../base/field.ts';

const pointSchema = z.object({
  night: z.int().describe('Which of the nights, from 0'),
  value: z.number().describe("The mean over the night's runs, in the unit"),
  runs: z.int().describe('Runs with this figure'),
});
const segmentSchema = z.object({
  night: z.int().describe('The first of its nights'),
  nights: z.int().describe('Nights with this figure'),
  value: z.number().describe('Their mean, in the unit'),
});

const metricTrendSchema = z.object({
  name: text('The metric, as gates write it'),
  unit: z.enum(['ms', 'share', 'perSecond', 'ratio', 'count', 'verdict']).describe('The unit of its values'),
  worse: z.enum(['higher', 'lower']).describe('The direction of a regression'),
  isGated: z.boolean().describe('Whether it belongs to the gate family; if not, it is informational'),
  margin: z.number().describe('The least change that is reported, on the scale of change'),
  points: z
    .array(pointSchema)
    .describe('By night; nights without the figure are absent; none: a metric that was asked for has no data'),
  segments: z.array(segmentSchema).describe('The segments between change points'),
});
export type PublishedMetric = z.infer<typeof metricTrendSchema>;

const changeSchema = z.object({
  name: text('The metric'),
  isGated: z.boolean().describe('Whether it belongs to the gate family'),
  direction: z.enum(['better', 'worse']).describe('What the change means'),
  night: z.int().describe('The first night after it, by this metric'),
  before: z.number().describe('The mean of the segment before, in the unit of the metric'),
  after: z.number().describe('The mean of the segment after'),
  change: z.number().describe('after / before - 1; for a share after - before; outliers limited'),
  ci95: z.object({ low: z.number(), high: z.number() }).describe('95 % confidence interval of change'),
  p: z.number().describe('Probability of such a step somewhere in a series in which nothing changed'),
});

const eventSchema = z.object({
  night: z.int().describe('The first night after it, by the metric that shows it most clearly'),
  date: text('The day of that night (UTC)'),
  nightsSince: z.int().describe('Nights since then, that night included'),
  file: text('The first result after it'),
  commits: z
    .object({ before: text('The last commit seen before it'), after: text('The first one seen after it') })
    .nullable()
    .describe('The commits around it; null when results do not state them'),
  metrics: z.array(changeSchema).describe('The metrics that changed within two nights of it, the clearest first'),
});
export type TrendEvent = z.infer<typeof eventSchema>;
export type EventChange = TrendEvent['metrics'][number];

const nightSchema = z.object({
  date: text('The day on which its first run started (UTC)'),
  startedAt: text('When (ISO 8601, UTC)'),
  sitting: z.string().nullable().describe('The sitting; null for the runs of a day'),
  runs: z.int().describe('Runs'),
  degraded: z.int().describe('Of these, the ones that are degraded by their own verdict'),
  file: text('Its first result'),
  commit: z.string().nullable().describe('The commit of its first run; null when it is not known'),
});

const trendGroupSchema = z.object({
  scenario: z.object({ name: z.string(), hash: z.string() }),
  machineClass: text('Processor, cores, memory, system and Node.js'),
  loadHash: text('A hash of the load and of everything else that has to be equal'),
  allNights: z.int().describe('Nights in total, including those before the window'),
  nights: z.array(nightSchema).describe('The nights examined, by their start'),
  metrics: z.array(metricTrendSchema),
  events: z.array(eventSchema).describe('By night'),
});
export type TrendGroup = z.infer<typeof trendGroupSchema>;

/** How scenarios changed over the nights: a pure function of the results in a folder. */
export const trendSchema = z.object({
  kind: z.literal('chat-load/trend'),
  schemaVersion: z.literal(1),
  toolVersion: text('The version of chat-load'),
  alpha: z.number().describe('The greatest p of a change that is reported'),
  window: z.int().describe('The number of latest nights to look at'),
  results: z.int().describe('Results that it is based on'),
  groups: z
    .array(trendGroupSchema)
    .describe('Results that can be compared with one another, those with the latest result first'),
  alarm: z
    .object({
      on: z.enum(['change', 'regression']).describe('Of a gated metric; regression: for the worse'),
      nights: z.int().describe('In this number of the last nights'),
      date: z.string().nullable().describe('The night of the newest such event; null where there is none'),
      searched: z.int().describe('Series of these nights in which changes were searched for'),
    })
    .nullable()
    .describe('What --fail-on looked for; null where it was not given'),
  skipped: z
    .array(z.object({ file: z.string(), problem: text('Why, to be read after the file name') }))
    .describe('Files that are of no use'),
  warnings: z.array(z.string()).describe('What else a reader should know'),
});
export type Trend = z.infer<typeof trendSchema>;
