import { z } from 'zod';
import { text, flag, textOrNull } from '../../base/field.ts';

const pointSchema = z.object({
  night: z.int().describe('Index of the night, from 0'),
  value: z.number().describe("Mean over the night's runs, in the unit"),
  runs: z.int().describe('Number of runs with this figure'),
});
const segmentSchema = z.object({
  night: z.int().describe('First night of the segment'),
  nights: z.int().describe('Number of nights with this figure'),
  value: z.number().describe('Mean of the nights, in the unit'),
});

const omissionSchema = z.object({
  night: z.int().describe('Index of the night, from 0'),
  runs: z.int().describe('Number of runs whose figure was omitted'),
  errorMs: z.number().describe('Largest measurement error among them (milliseconds)'),
});

const metricTrendSchema = z.object({
  name: text('Name of the metric, as in gates'),
  unit: z.enum(['ms', 'share', 'perSecond', 'ratio', 'count', 'cost', 'verdict']).describe('Unit of the values'),
  worse: z.enum(['higher', 'lower']).describe('Direction of a regression'),
  isGated: flag('True if it belongs to the gate family; otherwise it is informational'),
  margin: z.number().describe('Minimum reported change, on the scale of change'),
  points: z
    .array(pointSchema)
    .describe('Points by night; nights without the figure are absent; empty if a requested metric has no data'),
  segments: z.array(segmentSchema).describe('Segments between change points'),
  omitted: z
    .array(omissionSchema)
    .default([])
    .describe('Doubtful figures that were omitted, by night: the error exceeds 1 ms and half of the margin'),
});
export type PublishedMetric = z.infer<typeof metricTrendSchema>;

const changeSchema = z.object({
  name: text('Name of the metric'),
  isGated: flag('True if it belongs to the gate family'),
  direction: z.enum(['better', 'worse']).describe('Direction of the change'),
  night: z.int().describe('First night after the change, by this metric'),
  before: z.number().describe('Mean of the segment before, in the unit of the metric'),
  after: z.number().describe('Mean of the segment after'),
  change: z.number().describe('after / before - 1; for a share after - before; outliers limited'),
  ci95: z
    .object({ low: z.number(), high: z.number() })
    .describe(
      '95 % confidence interval of change, widened by the difference of the measurement errors before and after',
    ),
  p: z.number().describe('Probability of such a step anywhere in an unchanged series'),
});

const eventSchema = z.object({
  night: z.int().describe('First night after the event, by the metric that shows it most clearly'),
  date: text('Day of that night (UTC)'),
  nightsSince: z.int().describe('Number of nights since the event, including the first'),
  file: text('First result after the event'),
  commits: z
    .object({ before: text('Last known commit before the event'), after: text('First known commit after the event') })
    .nullable()
    .describe('Commits around the event; null when results do not contain them'),
  metrics: z.array(changeSchema).describe('Metrics that changed within two nights of the event, the clearest first'),
});
export type TrendEvent = z.infer<typeof eventSchema>;
export type EventChange = TrendEvent['metrics'][number];

const nightSchema = z.object({
  date: text('Day on which the first run started (UTC)'),
  startedAt: text('Start of the first run (ISO 8601, UTC)'),
  sitting: textOrNull('Batch of runs; null for a run without a batch'),
  runs: z.int().describe('Number of runs'),
  degraded: z.int().describe('Number of runs with the validity verdict degraded'),
  isDoubtful: flag('True if every deciding latency of the night was omitted because it is doubtful').default(false),
  lacksLatency: flag('True if the night has no deciding latency, although other nights do').default(false),
  file: text('First result of the night'),
  commit: textOrNull('Commit of the first run; null if it is unknown'),
});

const trendGroupSchema = z.object({
  scenario: z.object({ name: z.string(), hash: z.string() }),
  machineClass: text('Processor, cores, memory, system and Node.js'),
  loadHash: text('Hash of the load and of everything else that must be equal'),
  allNights: z.int().describe('Nights in total, including those before the window'),
  nights: z.array(nightSchema).describe('Examined nights, by their start'),
  metrics: z.array(metricTrendSchema),
  events: z.array(eventSchema).describe('Events by night'),
});
export type TrendGroup = z.infer<typeof trendGroupSchema>;

/** Trend of scenarios over the nights: a pure function of the results in a folder. */
export const trendSchema = z.object({
  kind: z.literal('chat-load/trend'),
  schemaVersion: z.literal(1),
  toolVersion: text('Version of chat-load'),
  alpha: z.number().describe('Maximum p of a reported change'),
  window: z.int().describe('Number of latest nights that are examined'),
  results: z.int().describe('Number of results that it is based on'),
  groups: z.array(trendGroupSchema).describe('Series of comparable results, the series with the latest result first'),
  alarm: z
    .object({
      on: z
        .enum(['change', 'regression'])
        .describe('Event of a gated metric that raises the alarm; regression: only for the worse'),
      nights: z.int().describe('Number of last nights that were checked'),
      date: textOrNull('Night of the newest such event; null if there is none'),
      doubtful: z
        .int()
        .default(0)
        .describe('Number of series without a deciding latency in these nights, because all are doubtful or missing'),
      searched: z.int().describe('Number of series of these nights in which changes were searched for'),
    })
    .nullable()
    .describe('Alarm of --fail-on; null without that flag'),
  skipped: z
    .array(z.object({ file: z.string(), problem: text('Reason, as a phrase that follows the file name') }))
    .describe('Files that were not used'),
  warnings: z.array(z.string()).describe('Further warnings'),
});
export type Trend = z.infer<typeof trendSchema>;
