import { formatCount, formatElapsed, formatMs } from '../../base/format.ts';
import { shortestIntervalMs } from '../../record/interval-width.ts';
import { positions } from '../../record/positions.ts';
import {
  adjustedSeries,
  ends,
  isOfAttributedCalls,
  isSplit,
  publishedSeries,
  recordedNames,
  type AdjustedSeries,
  type PublishedSeries,
  type SeriesName,
} from '../../record/series.ts';
import { dueOf } from '../books/books.ts';
import type { Adjusted } from '../sections/latency.ts';
import type { LatencySummary } from '../sections/latency-summary.ts';
import { ofAttributedCalls } from './attributed-calls.ts';
import { compareStatistic, type IntervalReading, type Metric, type Published, type Reading } from './metric.ts';
import { followFirstTokens, followModel, followTurns, type DriftReading } from './drift-series.ts';
import { meanPart, partOver } from './metric-part.ts';
import { neededFor } from '../percentiles/percentile-intervals.ts';
import { percentiles, type Percentile } from '../percentiles/percentiles.ts';
import { minIntervals } from '../../statistics/batch-error.ts';

interface Source {
  name: string;
  meaning: string;
  /** Names under which the series is recorded, with all outcomes. */
  series: readonly SeriesName[];
  values: readonly SeriesName[];
  isOfStreams: boolean;
  summaryOf: (result: Published) => LatencySummary | undefined;
}

function sourcesOf(series: PublishedSeries): Source[] {
  const { name, isOfStreams } = series;
  const recorded = recordedNames(series);
  const whole = { name, meaning: series.latency, series: recorded, values: recorded, isOfStreams };
  const source = { ...whole, summaryOf: ({ latency }: Published) => latency[series.name] };
  if (!isSplit(series)) return [source];
  const parts = ends.map((end) => ({
    ...whole,
    name: `${series.name}.${end}`,
    values: recordedNames(series, end),
    meaning: `${series.latency}, ${end === 'ok' ? 'successful' : 'failed'} ones only`,
    summaryOf: ({ latency }: Published) => latency[series.name][end],
  }));
  return [source, ...parts];
}

const positionSources: readonly Source[] = positions.flatMap((position) => {
  const seriesOf = (name: 'turn' | 'firstToken') => {
    const series = ends.map((end) => `${name}.${position}.${end}` as const);
    return { series, values: series };
  };
  const partOf = (result: Published) => result.positions.find((each) => each.position === position);
  return [
    {
      name: `position.${position}`,
      meaning: `latency of turns at position ${position}`,
      ...seriesOf('turn'),
      isOfStreams: false,
      summaryOf: partOf,
    },
    {
      name: `position.${position}.firstToken`,
      meaning: `time to the first token at position ${position}`,
      ...seriesOf('firstToken'),
      isOfStreams: true,
      summaryOf: (result: Published) => partOf(result)?.firstToken,
    },
  ];
});

const extremes = [
  ['min', 'minimum', 'minMs'],
  ['mean', 'mean', 'meanMs'],
  ['max', 'maximum', 'maxMs'],
] as const;

const allStatistics = ['p50', 'p90', 'p95', 'p99', 'p99.9', 'mean'];

/**
 * Statistics by which releases are compared. Percentiles use ok events, since failing fast is not an improvement; those by
 * position include failed turns, as published. There are fewer sessions than turns: statistics that need at most 200
 * sessions decide, and p99 is informational.
 */
const compared: Readonly<Record<string, readonly string[]>> = {
  'turn.ok': allStatistics,
  'effective.ok': allStatistics,
  'attempt.ok': allStatistics,
  'firstToken.ok': allStatistics,
  'firstAnswer.ok': allStatistics,
  'effectiveFirstToken.ok': allStatistics,
  'gap.ok': allStatistics,
  tokenTime: allStatistics,
  'model.time': allStatistics,
  'model.retryWait': ['mean'],
  'model.agentTime': allStatistics,
  'model.call': allStatistics,
  sessionCreate: ['p50', 'p95', 'p99', 'mean'],
  ...Object.fromEntries(positionSources.map(({ name, isOfStreams }) => [name, isOfStreams ? ['p50'] : ['p50', 'p99']])),
};

/** Metrics that can fail a comparison, with their rank. */
const deciding: Readonly<Record<string, number>> = {
  'turn.ok.p50': 1,
  'turn.ok.p99': 2,
  'turn.ok.mean': 3,
  'attempt.ok.p99': 7,
  'sessionCreate.p50': 8,
  'sessionCreate.p95': 9,
  'sessionCreate.mean': 10,
  // For runs with streamed replies.
  'firstToken.ok.p50': 13,
  'firstToken.ok.p99': 14,
  'gap.ok.p99': 15,
};

const followed: Readonly<Record<string, DriftReading>> = {
  'turn.p50': followTurns('p50'),
  'turn.p95': followTurns('p95'),
  'turn.mean': followTurns('mean'),
  'firstToken.p50': followFirstTokens('p50'),
  'firstToken.p95': followFirstTokens('p95'),
  'model.time.mean': followModel('model.time'),
  'model.agentTime.mean': followModel('model.agentTime'),
};

/** Percentiles, means and extremes of every series: `turn.p95`, `attempt.failed.mean`, `position.17+.p50`, ... */
export const latencyMetrics: readonly Metric[] = [
  ...publishedSeries.flatMap((series) => [
    ...sourcesOf(series)
      .flatMap(statisticsOf)
      .map((metric) => (isOfAttributedCalls(series) ? ofAttributedCalls(metric) : metric)),
    ...adjustedSeries.filter((each) => each === series).flatMap(adjustedOf),
  ]),
  ...positionSources.flatMap(statisticsOf),
];

function statisticsOf(source: Source): Metric[] {
  const { meaning, summaryOf, values } = source;
  // A service that closes connections needs as many connections as attempts.
  const keepsOpen = ({ latency: { connect, attempt } }: Published): boolean =>
    source.name === 'connect' && 2 * connect.count < attempt.count;
  return [
    ...percentiles.map((percentile) => ({
      ...statisticOf(source, percentile.name),
      meaning: `${percentile.name} of ${meaning}`,
      part: partOver(percentile.percent, { series: values }),
      minimum: percentile.floor,
      intervalMinimum: neededFor(percentile),
      read: (result: Published) => readPercentile(percentile, summaryOf(result), result, keepsOpen(result)),
      readInterval: (result: Published) => readInterval(percentile, summaryOf(result), result, keepsOpen(result)),
      readError: (result: Published) => summaryOf(result)?.errorMs?.[percentile.key] ?? null,
      readResolution: (result: Published) => summaryOf(result)?.resolutionMs,
    })),
    ...extremes.map(([extreme, word, key]) => ({
      ...statisticOf(source, extreme),
      meaning: `${word} of ${meaning}`,
      ...(extreme === 'mean' && {
        part: meanPart(values),
        readError: (result: Published) => summaryOf(result)?.errorMs?.meanMs ?? null,
      }),
      read: (result: Published) => readExtreme(summaryOf(result)?.[key]),
    })),
  ];
}

function statisticOf({ name: of, series, isOfStreams }: Source, statistic: string): Omit<Metric, 'meaning' | 'read'> {
  const name = `${of}.${statistic}`;
  const [decides, drift] = [deciding[name], followed[name]];
  const isOfTotals = of.startsWith('position.');
  return {
    name,
    unit: 'ms',
    worse: 'higher',
    series,
    ...(compared[of]?.includes(statistic) && {
      comparison: {
        ...compareStatistic(of, statistic),
        isOfTotals,
        isOfStreams,
        ...(decides !== undefined && { decides }),
      },
    }),
    ...(drift !== undefined && { drift }),
  };
}

function adjustedOf(series: AdjustedSeries): Metric[] {
  return percentiles.map((percentile) => ({
    name: `${series.name}.adjusted.${percentile.name}`,
    unit: 'ms',
    worse: 'higher',
    series: recordedNames(series),
    meaning: `${percentile.name} of ${series.latency}, with failed turns counted as infinitely slow`,
    part: partOver(percentile.percent, {
      series: recordedNames(series, 'ok'),
      failed: recordedNames(series, 'failed'),
    }),
    minimum: percentile.floor,
    intervalMinimum: neededFor(percentile),
    read: (result) => readAdjusted(percentile, result.latency[series.name].adjusted, result),
    readInterval: (result) => readInterval(percentile, result.latency[series.name].adjusted, result),
    readError: (result) => result.latency[series.name].adjusted.errorMs?.[percentile.key] ?? null,
    readResolution: (result) => result.latency[series.name].adjusted.resolutionMs,
  }));
}

const readExtreme = (value: number | null | undefined): Reading =>
  value === null || value === undefined ? { value: null, reason: 'no samples' } : { value };

function readPercentile(
  { key, name, floor }: Percentile,
  summary: Pick<LatencySummary, 'count' | Percentile['key']> | undefined,
  result: Published,
  keepsOpen = false,
): Reading {
  const value = summary?.[key];
  if (value !== null && value !== undefined) return { value };
  const count = summary?.count ?? 0;
  if (count === 0) return { value: null, reason: 'no samples' };
  const moreMs = wholeSeconds((result.rates.measuredMs * (floor - count)) / count);
  const way = keepsOpen
    ? moreConnections
    : orOption(`run about ${formatElapsed(moreMs)} longer`, floor / count, result);
  return { value: null, reason: `${name} needs ${formatCount(floor)} samples, has ${formatCount(count)}: ${way}` };
}

/** Remedy for connections that stay open: their number grows with concurrency, not with the length of the run. */
const moreConnections = 'connections stay open, so raise the number of concurrent sessions (--concurrency)';

/** Describes a sufficient length of the run and, if any sessions were started, an example with the option that ended this one. */
function orOption(length: string, times: number, { books, scenario: { plan } }: Published): string {
  const { started } = dueOf(books);
  if (started === 0) return length;
  const { sessions, durationMs, warmUpMs } = plan;
  if (durationMs !== null && (sessions === null || books.sessions.not_started > 0)) {
    const neededMs = warmUpMs + Math.max(0, durationMs - warmUpMs) * times * margin;
    return `${length}, e.g. --duration ${String(wholeSeconds(neededMs) / 1000)}s`;
  }
  return `${length}, e.g. --sessions ${String(books.warmUp.sessions.started + Math.ceil(started * times * margin))}`;
}

/** The number of turns per session may be random, and some may fail. */
const margin = 1.25;

export const minMeasuredMs = minIntervals * shortestIntervalMs;

/** Returns the confidence interval, or the length of run that it needs at this pace. */
function readInterval(
  percentile: Percentile,
  summary: Pick<LatencySummary, 'count' | 'intervals'> | undefined,
  result: Published,
  keepsOpen = false,
): IntervalReading {
  const { measuredMs } = result.rates;
  const { count, intervals } = summary ?? { count: 0, intervals: null };
  if (count === 0) return { low: null, reason: 'no samples' };
  const interval = intervals?.[percentile.key];
  if (interval) return { low: interval.lowMs, high: interval.highMs ?? Infinity };
  const needed = neededFor(percentile);
  const wouldDoMs = Math.max(minMeasuredMs, (measuredMs * needed) / count);
  const lacks = [
    ...(count < needed ? [`it needs ${formatCount(needed)} values, has ${formatCount(count)}`] : []),
    ...(measuredMs < minMeasuredMs ? [`it needs ${formatElapsed(minMeasuredMs)}, has ${formatMs(measuredMs)}`] : []),
  ];
  const way = keepsOpen
    ? moreConnections
    : orOption(`run for about ${formatElapsed(wholeSeconds(wouldDoMs))}`, wouldDoMs / measuredMs, result);
  const why = lacks.length === 0 ? 'it varies too much: a longer run would suffice' : `${lacks.join(', and ')}; ${way}`;
  return { low: null, reason: `${percentile.name} has no confidence interval: ${why}` };
}

const wholeSeconds = (lengthMs: number): number => Math.ceil(lengthMs / 1000 - 1e-6) * 1000;

function readAdjusted(percentile: Percentile, adjusted: Adjusted, result: Published): Reading {
  const { key, floor } = percentile;
  if (adjusted.count < floor || adjusted[key] !== null) return readPercentile(percentile, adjusted, result);
  return { value: Infinity };
}
