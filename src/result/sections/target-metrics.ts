import { z } from 'zod';
import { count, durationMs, flag, listOf, numberOrNull, text, textOrNull } from '../../base/field.ts';
import { total, type Counters } from '../../record/counters.ts';

/** Maximum number of points of a line. */
export const maxPoints = 1000;

const lineSchema = z.object({
  name: text('Labels of a gauge, `rate` of a counter, or `p50`, `p95` or `mean` of a histogram'),
  values: listOf(z.number().nullable(), maxPoints).describe('Values at the times of the endpoint; null if missing'),
  mean: numberOrNull('Mean of the scrapes during the run; of a rate or a histogram, the figure of the whole run'),
  max: numberOrNull('Maximum of the scrapes during the run'),
});

const metricSchema = z.object({
  name: text('Name of the series, with the labels that the scenario requires'),
  title: text('Chart that shows it'),
  kind: z.enum(['gauge', 'counter', 'histogram']).describe('Type; the values of a counter are rates per second'),
  unit: z.enum(['count', 'share', 'bytes', 'ms', 'perSecond']).describe('Unit of the lines'),
  before: numberOrNull('Counter, or number of observations, before the load'),
  after: numberOrNull('The same after the load'),
  increase: numberOrNull(
    'Increase during the run: of each label set, and then summed; a label set that appeared, or whose process was restarted with a new start time, counts from zero; another decrease adds nothing',
  ),
  resets: count('Number of scrapes in which counters of the endpoint had decreased, or the process had been restarted'),
  vanished: count('Number of label sets that disappeared during the run').default(0),
  isExact: flag(
    'False if the increase is a lower bound: values decreased, disappeared, or could not be read at the first or the last scrape',
  ).default(true),
  omitted: count('Label sets that are not shown'),
  lines: listOf(lineSchema, 10).describe('Lines over time; counters and histograms are summed over their labels'),
});
export type TargetMetric = z.infer<typeof metricSchema>;

const endpointSchema = z.object({
  url: text('URL that was scraped'),
  presets: z.array(z.string()).describe('Software whose series were recognized'),
  scrapes: count('Scrapes, including failed ones'),
  failed: count('Failed scrapes'),
  unreadable: count('Samples of counters and histograms without a readable value: each costs only itself').default(0),
  failure: textOrNull('Reason for the latest failure; null if none failed'),
  withheld: textOrNull(
    'Sign of several processes behind the address, each with counters of its own, or of one that restarted: figures are withheld; null if there is none',
  ).default(null),
  requests: textOrNull('Name of the counter of requests; null if there is none'),
  isComplete: flag('True if the first and the last scrape succeeded'),
  atMs: listOf(z.number().min(0), maxPoints).describe('Times of the points since the start of the run (milliseconds)'),
  everyMs: durationMs('Time between two points'),
  metrics: listOf(metricSchema, 50).describe('Series that were found; empty if withheld'),
});
export type MetricsEndpoint = z.infer<typeof endpointSchema>;

const requestCheckSchema = z.object({
  counter: text('Name of the counter'),
  endpoints: count('Endpoints with this counter'),
  counted: count('Requests that the target counted during the run'),
  sent: count('Attempts of turns and of session creations, including the warm-up'),
  notConnected: count('Part of sent: attempts that could not connect'),
  notOk: count('Part of sent: other attempts that were not ok, rejected replies (check_failed) excluded'),
});
export type RequestCheck = z.infer<typeof requestCheckSchema>;

export const targetMetricsSchema = z.object({
  endpoints: listOf(endpointSchema, 20).describe('Endpoints in the order of the scenario'),
  requests: listOf(requestCheckSchema, 20).describe('Requests as counted by the target and by chat-load, by counter'),
});
export type TargetMetrics = z.infer<typeof targetMetricsSchema>;

/** Compares the counters of requests with the attempts of the run; `null` without endpoints. */
export function buildTargetMetrics(
  endpoints: readonly MetricsEndpoint[],
  { attempts, createAttempts }: Counters,
): TargetMetrics | null {
  if (endpoints.length === 0) return null;
  const sent = total(attempts) + total(createAttempts);
  const notConnected = attempts.connect_failed + createAttempts.connect_failed;
  // The service answered what a check of the scenario rejects.
  const answered = attempts.ok + createAttempts.ok + attempts.check_failed;
  const notOk = sent - notConnected - answered;
  const names = [...new Set(endpoints.flatMap(({ requests }) => requests ?? []))];
  const requests = names.flatMap((counter): RequestCheck[] => {
    const counting = endpoints.filter((each) => each.requests === counter);
    const increases = counting.map(({ metrics, isComplete }) => {
      const metric = metrics.find(({ name }) => name === counter);
      return isComplete && metric?.isExact === true ? metric.increase : null;
    });
    // A counter that is withheld, without a first and a last value, or known only as a lower bound cannot be compared.
    if (increases.includes(null)) return [];
    const counted = Math.round(increases.reduce<number>((sum, each) => sum + (each ?? 0), 0));
    return [{ counter, endpoints: counting.length, counted, sent, notConnected, notOk }];
  });
  return { endpoints: [...endpoints], requests };
}
