import { formatCount, formatElapsed, formatMs } from '../../base/format.ts';
import { shortestIntervalMs } from '../../record/interval-width.ts';
import { adjustedSeries, ends, positions, publishedSeries, splitSeries } from '../../record/series.ts';
import type { Adjusted } from '../sections/latency.ts';
import type { LatencySummary } from '../sections/latency-summary.ts';
import type { IntervalReading, Metric, Published, Reading } from './metric.ts';
import { neededFor } from '../percentiles/percentile-intervals.ts';
import { percentiles, type Percentile } from '../percentiles/percentiles.ts';
import { leastIntervals } from '../../statistics/batch-error.ts';

interface Source {
  name: string;
  meaning: string;
  summaryOf: (result: Published) => LatencySummary | undefined;
}

const sources: readonly Source[] = [
  ...publishedSeries.map(({ name, latency: meaning }) => ({
    ...{ name, meaning },
    summaryOf: ({ latency }: Published) => latency[name],
  })),
  ...splitSeries.flatMap(({ name }) =>
    ends.map((end) => ({
      name: `${name}.${end}`,
      meaning: `latency (${name}) of those that ${end === 'ok' ? 'ended ok' : 'failed'}`,
      summaryOf: ({ latency }: Published) => latency[name][end],
    })),
  ),
  ...positions.map((position) => ({
    name: `position.${position}`,
    meaning: `latency of turns at position ${position}`,
    summaryOf: (result: Published) => result.positions.find((each) => each.position === position),
  })),
];

const extremes = [
  ['min', 'least', 'minMs'],
  ['mean', 'mean', 'meanMs'],
  ['max', 'greatest', 'maxMs'],
] as const;

/** Percentiles, means and extremes of every series: `turn.p95`, `attempt.failed.mean`, `position.17+.p50`, ... */
export const latencyMetrics: readonly Metric[] = [
  ...sources.flatMap(({ name, meaning, summaryOf }) => [
    ...percentiles.map((percentile): Metric => ({
      name: `${name}.${percentile.name}`,
      unit: 'ms',
      meaning: `${percentile.name} of ${meaning}`,
      read: (result) => readPercentile(percentile, summaryOf(result)),
      readInterval: (result) => readInterval(percentile, summaryOf(result), result),
    })),
    ...extremes.map(([extreme, word, key]): Metric => ({
      name: `${name}.${extreme}`,
      unit: 'ms',
      meaning: `${word} ${meaning}`,
      read: (result) => readExtreme(summaryOf(result)?.[key]),
    })),
  ]),
  ...adjustedSeries.flatMap(({ name }) =>
    percentiles.map((percentile): Metric => ({
      name: `${name}.adjusted.${percentile.name}`,
      unit: 'ms',
      meaning: `${percentile.name} of latency (${name}), a failed turn counting as infinitely slow`,
      read: ({ latency }) => readAdjusted(percentile, latency[name].adjusted),
      readInterval: (result) => readInterval(percentile, result.latency[name].adjusted, result),
    })),
  ),
];

const readExtreme = (value: number | null | undefined): Reading =>
  value === null || value === undefined ? { value: null, reason: 'no samples' } : { value };

function readPercentile({ key, name, floor }: Percentile, summary: LatencySummary | undefined): Reading {
  const value = summary?.[key];
  if (value !== null && value !== undefined) return { value };
  const count = summary?.count ?? 0;
  return {
    value: null,
    reason: count === 0 ? 'no samples' : `${name} needs ${formatCount(floor)} samples, has ${formatCount(count)}`,
  };
}

/** Where there is none, how long a run it would take at this one's pace. */
function readInterval(
  percentile: Percentile,
  summary: Pick<LatencySummary, 'count' | 'intervals'> | undefined,
  { rates: { measuredMs } }: Published,
): IntervalReading {
  const { count, intervals } = summary ?? { count: 0, intervals: null };
  const interval = intervals?.[percentile.key];
  if (interval) return { low: interval.lowMs, high: interval.highMs ?? Infinity };
  const needed = neededFor(percentile);
  const leastMs = leastIntervals * shortestIntervalMs;
  const wouldDoMs = Math.max(leastMs, (measuredMs * needed) / Math.max(1, count));
  const isEnough = count >= needed && measuredMs >= leastMs;
  const advice = isEnough
    ? 'it varies too much: a longer run would do'
    : `about ${formatElapsed(wholeSeconds(wouldDoMs))} would do`;
  return {
    low: null,
    reason: `${percentile.name} has no interval: it takes ${formatCount(needed)} values and ${formatElapsed(leastMs)}, there were ${formatCount(count)} in ${formatMs(measuredMs)}; ${advice}`,
  };
}

const wholeSeconds = (lengthMs: number): number => Math.ceil(lengthMs / 1000 - 1e-6) * 1000;

function readAdjusted(percentile: Percentile, adjusted: Adjusted): Reading {
  const { key, floor } = percentile;
  if (adjusted.count < floor || adjusted[key] !== null)
    return readPercentile(percentile, { ...noSummary, ...adjusted });
  return { value: Infinity };
}

const noSummary = { sumMs: 0, minMs: null, meanMs: null, maxMs: null, intervals: null, hdr: null };
