import { percentiles } from '../../../../result/percentiles/percentiles.ts';
import { percentilesBy, rankedValues } from '../../../../result/sections/latency-summary.ts';
import { rounded } from '../../drawn-numbers.ts';
import type { OpenSeries } from './open-series.ts';

/** The statistics of a series in an interval, as a reader chooses them; their columns are `series.statistic`. */
export const statisticNames: readonly string[] = ['min', 'mean', ...percentiles.map(({ name }) => name), 'max'];

/** Their values in milliseconds, in that order; a percentile is `null` below its sample floor. */
export function statisticsOf(series: OpenSeries): (number | null)[] {
  const { count, sumMs, minMs, maxMs, histogram } = series;
  const found = percentilesBy(count, rankedValues(histogram, { minMs, maxMs }));
  return [minMs, sumMs / count, ...percentiles.map(({ key }) => found[key]), maxMs].map((value) =>
    value === null ? null : rounded(value),
  );
}
