import { z } from 'zod';
import type { SeriesName } from '../../record/series.ts';
import type { StoredSeries } from '../../record/stored-series.ts';
import type { Tally } from '../../record/tally.ts';
import { percentiles, type Percentile } from './percentiles.ts';
import { rankOf } from '../../statistics/rank-of.ts';
import { tQuantile } from '../../statistics/student-t.ts';
import { minIntervals, withinScatter } from '../../statistics/batch-error.ts';
import { countsBelow, openStored, type SeriesWindow } from './series-window.ts';

const intervalSchema = z.object({
  lowMs: z.number().min(0).describe('Its lower end (milliseconds)'),
  highMs: z
    .number()
    .min(0)
    .nullable()
    .describe('Its upper end (milliseconds; null: infinite, only of adjusted percentiles)'),
});
type PercentileInterval = z.infer<typeof intervalSchema>;

const shape = Object.fromEntries(
  percentiles.map(({ key, name }) => [key, intervalSchema.nullable().describe(`Of ${name}; null: none is known`)]),
) as Record<Percentile['key'], z.ZodNullable<typeof intervalSchema>>;

/** The 95 % interval of every percentile of a series. */
export const percentileIntervalsSchema = z.object(shape);
export type PercentileIntervals = z.infer<typeof percentileIntervalsSchema>;

/** A part of the measured run: what ended in an interval, in any number of tallies. */
export interface MeasuredPart {
  lengthMs: number;
  tallies: readonly Tally[];
}

/** The number of values required beyond a percentile on either side. */
const minBeyond = 100;

/** How many values a percentile needs for an interval. */
export function neededFor({ percent }: Pick<Percentile, 'percent'>): number {
  return Math.ceil((minBeyond * 100) / Math.min(percent, 100 - percent) - 1e-6);
}

/** What intervals are looked up in. Failed turns count as values beyond all others. */
interface Measured {
  /** The number of values behind the percentiles. */
  count: number;
  /** The value of a rank from 1, as published; `null`: infinite. */
  valueAt: (rank: number) => number | null;
  /** The finite values, by segment. */
  window: SeriesWindow;
  /** The number of infinite values by segment; absent: none. */
  beyond?: readonly number[];
  parts: readonly MeasuredPart[];
}

/** Opens series through a run; `undefined` where it is too short for the interval of any percentile. */
export function openThrough(
  parts: readonly MeasuredPart[],
  names: readonly SeriesName[],
  count: number,
): SeriesWindow | undefined {
  if (parts.length < minIntervals || count < 2 * minBeyond) return undefined;
  const stored = ({ hdr, count: values, sumUs }: StoredSeries) => ({ hdr, count: values, sumMs: sumUs / 1000 });
  return openStored(
    parts.map(({ tallies }) =>
      tallies.flatMap(({ series }) =>
        names.flatMap((name) => {
          const one = series[name];
          return one === undefined ? [] : [stored(one)];
        }),
      ),
    ),
  );
}

/**
 * The 95 % intervals of the percentiles of a run, from the scatter within the run: how far they would be from those of
 * other runs of the same length of the same service. The number of values at most as large as a percentile, less
 * its expected number, is summed by batches of neighbouring intervals, whose scatter gives the error of the share
 * (batch means); the percentiles of the shares at its two ends are the interval's ends (Woodruff 1952).
 * `null` for a percentile with fewer than 100 values beyond it, for all of them below 12 intervals, and where the upper
 * end would be beyond all values.
 */
export function percentileIntervals(measured: Measured): PercentileIntervals {
  return Object.fromEntries(
    percentiles.map((percentile) => [percentile.key, intervalOf(percentile, measured)]),
  ) as PercentileIntervals;
}

function intervalOf(percentile: Percentile, measured: Measured): PercentileInterval | null {
  const { count, valueAt } = measured;
  const share = percentile.percent / 100;
  if (count < neededFor(percentile) || valueAt(rankOf(percentile.percent, count)) === null) return null;
  const reach = reachOf(share, measured);
  if (reach === null || share - reach <= 0 || share + reach >= 1) return null;
  const low = valueAt(rankOf(100 * (share - reach), count));
  return low === null ? null : { lowMs: low, highMs: valueAt(rankOf(100 * (share + reach), count)) };
}

/** How far the share of values below a percentile may be off, with 95 % confidence. */
function reachOf(share: number, { count, window, beyond, parts }: Measured): number | null {
  const below = countsBelow(window, Math.min(1, (share * count) / window.count));
  const excess = window.opened.map((part, at) => (below[at] ?? 0) - share * (part.count + (beyond?.[at] ?? 0)));
  const scatter = withinScatter({ parts }, excess);
  return scatter === null ? null : (tQuantile(0.975, scatter.degrees) * scatter.error) / count;
}
