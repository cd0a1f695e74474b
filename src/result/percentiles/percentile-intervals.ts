import { z } from 'zod';
import { amountOrNull } from '../../base/field.ts';
import type { SeriesName } from '../../record/series.ts';
import type { Tally } from '../../record/tally.ts';
import { percentiles, type Percentile } from './percentiles.ts';
import { rankOf } from '../../statistics/rank-of.ts';
import { tQuantile } from '../../statistics/student-t.ts';
import { minIntervals, withinScatter } from '../../statistics/batch-error.ts';
import { countsBelow, openStored, type SeriesWindow } from './series-window.ts';

const intervalSchema = z.object({
  lowMs: z.number().min(0).describe('Lower end (milliseconds)'),
  highMs: amountOrNull('Upper end (milliseconds; null: infinite, for adjusted percentiles only)'),
});
type PercentileInterval = z.infer<typeof intervalSchema>;

const shape = Object.fromEntries(
  percentiles.map(({ key, name }) => [
    key,
    intervalSchema.nullable().describe(`Confidence interval of ${name}; null if unknown`),
  ]),
) as Record<Percentile['key'], z.ZodNullable<typeof intervalSchema>>;

/** 95 % confidence interval of every percentile of a series. */
export const percentileIntervalsSchema = z.object(shape);
export type PercentileIntervals = z.infer<typeof percentileIntervalsSchema>;

/** A part of the measured run: events that ended in an interval, in any number of tallies. */
export interface MeasuredPart {
  lengthMs: number;
  tallies: readonly Tally[];
}

/** Minimum number of values beyond a percentile on either side. */
const minBeyond = 100;

export function neededFor({ percent }: Pick<Percentile, 'percent'>): number {
  return Math.ceil((minBeyond * 100) / Math.min(percent, 100 - percent) - 1e-6);
}

/** Data from which intervals are computed. Failed turns count as values beyond all others. */
interface Measured {
  count: number;
  /** Returns the published value of a rank, from 1; `null`: infinite. */
  valueAt: (rank: number) => number | null;
  window: SeriesWindow;
  /** Number of infinite values by segment; absent: none. */
  beyond?: readonly number[];
  parts: readonly MeasuredPart[];
}

/** Opens series over the run; `undefined` if it is too short for the interval of any percentile. */
export function openThrough(
  parts: readonly MeasuredPart[],
  names: readonly SeriesName[],
  count: number,
): SeriesWindow | undefined {
  if (parts.length < minIntervals || count < 2 * minBeyond) return undefined;
  return openStored(
    parts.map(({ tallies }) =>
      tallies
        .flatMap(({ series }) => names.flatMap((name) => series[name] ?? []))
        .map(({ hdr, sumUs }) => ({ hdr, sumMs: sumUs / 1000 })),
    ),
  );
}

/**
 * Returns the 95 % confidence intervals of the percentiles of a run, estimated from the variation within the run: how
 * much they may differ between runs of the same length against the same service. For each percentile, the excess of
 * values at or below it over the expected number is summed in batches of neighbouring intervals, whose variance yields
 * the error of the share (batch means); the percentiles of the shares at its two ends are the ends of the interval
 * (Woodruff 1952). `null` for a percentile with fewer than 100 values beyond it, for all percentiles of a run with
 * fewer than 12 intervals, and if the upper end would be beyond all values.
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

/** Returns the error of the share of values below a percentile, with 95 % confidence. */
function reachOf(share: number, { count, window, beyond, parts }: Measured): number | null {
  const below = countsBelow(window, Math.min(1, (share * count) / window.count));
  const excess = window.opened.map((part, at) => (below[at] ?? 0) - share * (part.count + (beyond?.[at] ?? 0)));
  const scatter = withinScatter({ parts }, excess);
  return scatter === null ? null : (tQuantile(0.975, scatter.degrees) * scatter.error) / count;
}
