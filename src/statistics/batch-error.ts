import { neighbourCorrelation } from './averages.ts';

/** Minimum number of intervals for an estimate of the noise within a run. */
export const minIntervals = 12;

/**
 * Returns the standard error of a sum over the intervals of a run with correlated neighbours, by the method of batch means:
 * contiguous batches, long enough that their sums are nearly independent. `sums`: excess of each interval over its expected
 * value; they sum to zero. `null` below 12 intervals.
 */
export function batchError(sums: readonly number[]): number | null {
  if (sums.length < minIntervals) return null;
  const batches = batchesOf(sums.length);
  const squares = batchSums(sums, batches).reduce((total, sum) => total + sum ** 2, 0);
  return Math.sqrt((squares * batches) / (batches - 1));
}

function batchesOf(intervals: number): number {
  return Math.min(10, Math.max(6, Math.floor(intervals / 10)));
}

/** Splits into batches of equal length; remaining values make the first ones longer by one. */
function batchSums(sums: readonly number[], batches: number): number[] {
  const length = Math.floor(sums.length / batches);
  const longer = sums.length % batches;
  const startOf = (batch: number): number => batch * length + Math.min(batch, longer);
  return Array.from({ length: batches }, (_, batch) =>
    sums.slice(startOf(batch), startOf(batch + 1)).reduce((total, sum) => total + sum, 0),
  );
}

/** A run in parts, usually intervals. */
interface Parts {
  parts: readonly { lengthMs: number }[];
}

/**
 * Returns the standard error of a sum over a run from the run's own variance; `null` with too few segments. `excess`
 * contains each segment's excess over its share.
 */
export function withinError(run: Parts, excess: readonly number[]): number | null {
  return withinScatter(run, excess)?.error ?? null;
}

/** Returns the standard error with its degrees of freedom: one less than the number of batches. */
export function withinScatter({ parts }: Parts, excess: readonly number[]): { error: number; degrees: number } | null {
  const even = evenOut(excess, parts);
  const error = batchError(even);
  return error === null ? null : { error, degrees: batchesOf(even.length) - 1 };
}

/**
 * Batches are made of equal numbers of intervals and should be of equal length in time: a short interval, such as the
 * last one of a run, goes with its neighbour.
 */
function evenOut(sums: readonly number[], parts: Parts['parts']): number[] {
  const longest = parts.reduce((max, { lengthMs }) => Math.max(max, lengthMs), 0);
  const even: number[] = [];
  let carried = 0;
  sums.forEach((sum, at) => {
    const isShort = (parts[at]?.lengthMs ?? 0) < longest / 2;
    const last = even.length - 1;
    if (!isShort) {
      even.push(sum + carried);
      carried = 0;
    } else if (last < 0) carried += sum;
    else even[last] = (even[last] ?? 0) + sum;
  });
  return even;
}

/** Contribution of a window to the two sums of a ratio. */
interface RatioPart {
  part: number;
  whole: number;
}

export interface RatioError {
  ratio: number;
  whole: number;
  standardError: number;
  degrees: number;
  /** Correlation of neighbouring batches, ideally 0. */
  correlation: number;
}

/**
 * Returns a ratio of sums over windows with correlated neighbours, with its standard error: batch means by the delta method,
 * with 20 to 39 batches that grow with the series. If the batches are still correlated, their variance is raised like that of
 * a first-order autoregressive series. `minCorrelation`: known minimum. `null` without a whole, or below `minBatches` windows.
 */
export function ratioError(parts: readonly RatioPart[], minBatches = 20, minCorrelation = 0): RatioError | null {
  const size = 2 ** Math.max(0, Math.floor(Math.log2(parts.length / minBatches)));
  const batches = inBatches(parts, size);
  const whole = sumOf(batches, (batch) => batch.whole);
  if (batches.length < minBatches || whole <= 0) return null;
  const ratio = sumOf(batches, (batch) => batch.part) / whole;
  const residuals = batches.map((batch) => batch.part - ratio * batch.whole);
  const correlation = Math.max(minCorrelation, neighbourCorrelation(residuals, 1));
  const squares = sumOf(residuals, (residual) => residual ** 2);
  const inflation = (1 + correlation) / (1 - correlation);
  const degrees = batches.length - 1;
  const standardError = Math.sqrt((squares * batches.length * inflation) / degrees) / whole;
  return { ratio, whole, standardError, degrees, correlation };
}

/** Combines neighbours; drops remaining values at the start. */
function inBatches(parts: readonly RatioPart[], size: number): RatioPart[] {
  const left = parts.length % size;
  return Array.from({ length: Math.floor(parts.length / size) }, (_, batch) => {
    const from = left + batch * size;
    const sum = { part: 0, whole: 0 };
    for (let at = from; at < from + size; at++) {
      sum.part += parts[at]?.part ?? 0;
      sum.whole += parts[at]?.whole ?? 0;
    }
    return sum;
  });
}

const sumOf = <Item>(items: readonly Item[], valueOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + valueOf(item), 0);
