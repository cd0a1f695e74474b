import { z } from 'zod';
import { lowestOf, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import type { StoredSeries } from '../../record/stored-series.ts';
import { count, durationMs, amountOrNull, textOrNull } from '../../base/field.ts';
import { percentileIntervalsSchema, type PercentileIntervals } from '../percentiles/percentile-intervals.ts';
import { percentiles, type Percentile } from '../percentiles/percentiles.ts';
import { figureErrorSchema, type FigureError } from './figure-error.ts';
import { rankOf, upperRankOf } from '../../statistics/rank-of.ts';

const percentileField = ({ percent, floor }: Percentile) =>
  amountOrNull(
    `${String(percent)} % of the values are at most this (milliseconds; null below ${String(floor)} samples)`,
  );

export const percentileShape = Object.fromEntries(
  percentiles.map((percentile) => [percentile.key, percentileField(percentile)]),
) as Record<Percentile['key'], ReturnType<typeof percentileField>>;

export const intervalsField = percentileIntervalsSchema
  .nullable()
  .describe(
    '95 % confidence intervals of these percentiles, from the variation within the run; null if the run is too short for any',
  );

export const resolutionField = durationMs(
  'Interval of the polls at which these values end, which no figure is finer than; omitted: replies are not polled',
).optional();

/**
 * Returns a latency as it is shown and judged: a multiple of the resolution, since a reply is only known to have ended within
 * it. Below half of the resolution it stays as it is.
 */
export function toResolution(valueMs: number, resolutionMs: number | undefined): number {
  if (resolutionMs === undefined || !Number.isFinite(valueMs)) return valueMs;
  return Math.round(valueMs / resolutionMs) * resolutionMs || valueMs;
}

const valueMs = (meaning: string) => amountOrNull(`${meaning} (milliseconds; null without values)`);

export const latencySummarySchema = z.object({
  count: count('Number of values'),
  sumMs: durationMs('Exact sum of the values'),
  minMs: valueMs('Exact minimum'),
  meanMs: valueMs('Mean, from the exact sum'),
  maxMs: valueMs('Exact maximum'),
  ...percentileShape,
  p99AtMaxMs: valueMs(
    'Upper bound of p99: the true p99 exceeds it with a probability of at most 1 %, if the values are independent',
  ),
  intervals: intervalsField,
  errorMs: figureErrorSchema,
  resolutionMs: resolutionField,
  hdr: textOrNull(
    'Source histogram: HDR V2, compressed, base64; whole microseconds, 1 µs to 1 h, 3 significant digits; null without values',
  ),
});
export type LatencySummary = z.infer<typeof latencySummarySchema>;
export type Percentiles = Pick<LatencySummary, Percentile['key']>;

export function summarizeLatency(
  series: StoredSeries | undefined,
  intervals: PercentileIntervals | null = null,
  errorMs: FigureError = null,
): LatencySummary {
  if (series === undefined) return empty;
  const { count, sumUs, minUs, maxUs, hdr } = series;
  const valueAt = valuesByRank(series);
  return {
    count,
    sumMs: sumUs / 1000,
    minMs: minUs / 1000,
    meanMs: sumUs / count / 1000,
    maxMs: maxUs / 1000,
    ...percentilesBy(count, valueAt),
    p99AtMaxMs: p99AtMax(count, valueAt),
    intervals,
    errorMs,
    hdr,
  };
}

/** Returns all percentiles of `count` values, each looked up by its rank from 1; `null` below its sample floor. */
export function percentilesBy(count: number, valueAt: (rank: number) => number | null): Percentiles {
  const values = percentiles.map(({ key, percent, floor }) => [
    key,
    count < floor ? null : valueAt(rankOf(percent, count)),
  ]);
  return Object.fromEntries(values) as Percentiles;
}

/** Returns the bound if there are enough values for a p99. */
function p99AtMax(count: number, valueAt: (rank: number) => number): number | null {
  const rank = percentiles.some(({ key, floor }) => key === 'p99Ms' && count >= floor)
    ? upperRankOf(99, count)
    : undefined;
  return rank === undefined ? null : valueAt(rank);
}

/** Looks up values by rank in milliseconds: the upper end of the bucket, but never beyond the exact extremes. */
export function valuesByRank({
  hdr,
  minUs,
  maxUs,
}: Pick<StoredSeries, 'hdr' | 'minUs' | 'maxUs'>): (rank: number) => number {
  return rankedValues(readSparse(hdr), { minMs: minUs / 1000, maxMs: maxUs / 1000 });
}

export function rankedValues(
  { indexes, counts }: SparseHistogram,
  { minMs, maxMs }: { minMs: number; maxMs: number },
): (rank: number) => number {
  return (rank) => {
    let [place, upTo] = [0, counts[0] ?? 0];
    while (upTo < rank && place < counts.length - 1) upTo += counts[++place] ?? 0;
    const us = lowestOf((indexes[place] ?? 0) + 1) - 1;
    return Math.min(maxMs, Math.max(minMs, us / 1000));
  };
}

const empty: LatencySummary = {
  count: 0,
  sumMs: 0,
  minMs: null,
  meanMs: null,
  maxMs: null,
  ...percentilesBy(0, () => null),
  p99AtMaxMs: null,
  intervals: null,
  errorMs: null,
  hdr: null,
};
