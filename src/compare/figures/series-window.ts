import { bucketCount, lowestOf, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import type { Stretch } from './stretch.ts';
import { sumOf } from './sum-of.ts';

/** A series in one stretch; without values it is empty. */
interface SeriesPart {
  count: number;
  sumMs: number;
  /** The buckets that hold something, by rising index. */
  indexes: Int32Array;
  /** How many values each of these buckets and those before it hold together. */
  cumulated: Float64Array;
}

/** A series of durations over the stretches of a run, with its histograms read. */
export interface SeriesWindow {
  count: number;
  sumMs: number;
  parts: readonly SeriesPart[];
  whole: SparseHistogram;
}

/** Reads a series. Takes about 0.1 ms a stretch. */
export function openSeries(stretches: readonly Stretch[], name: string): SeriesWindow {
  const sums = new Float64Array(bucketCount);
  const parts = stretches.map(({ series }): SeriesPart => {
    const { count = 0, sumMs = 0, hdr } = series.get(name) ?? {};
    const { indexes, counts } = hdr === undefined ? nothing : readSparse(hdr);
    return { count, sumMs, indexes, cumulated: addTo(sums, indexes, counts) };
  });
  const whole = wholeOf(sums);
  return { count: whole.total, sumMs: sumOf(parts.map((part) => part.sumMs)), parts, whole };
}

/** A quantile, in milliseconds: within its bucket the values are taken to be spread evenly. */
export function quantileOf(histogram: SparseHistogram, quantile: number): number {
  const { bucket, fraction } = locate(histogram, quantile);
  const low = lowestOf(bucket);
  const us = low + fraction * (lowestOf(bucket + 1) - low);
  // A value of 0 µs stands for anything below half a microsecond, and has to have a logarithm.
  return Math.max(us, 0.5) / 1000;
}

/** How many values of each stretch are at or below the quantile of the whole; of its bucket so many as lie below it by proportion. */
export function countsBelow({ parts, whole }: SeriesWindow, quantile: number): number[] {
  const { bucket, fraction } = locate(whole, quantile);
  return parts.map(({ indexes, cumulated }) => {
    const at = firstFrom(indexes, bucket);
    const before = cumulated[at - 1] ?? 0;
    const within = indexes[at] === bucket ? (cumulated[at] ?? 0) - before : 0;
    return before + within * fraction;
  });
}

/** Where the first of rising numbers stands that is not below `least`; their number when there is none. */
function firstFrom(numbers: Int32Array, least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

const nothing: SparseHistogram = { indexes: new Int32Array(), counts: new Float64Array(), total: 0 };

/** Adds counts to the sums of their buckets, and gives the running total of the counts. */
function addTo(sums: Float64Array, indexes: Int32Array, counts: Float64Array): Float64Array {
  const cumulated = new Float64Array(counts.length);
  let total = 0;
  for (let at = 0; at < counts.length; at++) {
    const index = indexes[at] ?? 0;
    const count = counts[at] ?? 0;
    sums[index] = (sums[index] ?? 0) + count;
    total += count;
    cumulated[at] = total;
  }
  return cumulated;
}

function wholeOf(sums: Float64Array): SparseHistogram {
  // A plain loop over some 23,000 buckets: this runs for every series of every result of a history.
  const held: number[] = [];
  let total = 0;
  for (let index = 0; index < sums.length; index++) {
    const count = sums[index] ?? 0;
    if (count === 0) continue;
    held.push(index);
    total += count;
  }
  return { indexes: Int32Array.from(held), counts: Float64Array.from(held, (index) => sums[index] ?? 0), total };
}

/** The bucket in which a quantile lies, and which part of its values lies below it. */
function locate({ indexes, counts, total }: SparseHistogram, quantile: number): { bucket: number; fraction: number } {
  let rest = quantile * total;
  for (let at = 0; at < indexes.length; at++) {
    const count = counts[at] ?? 0;
    if (rest <= count || at === indexes.length - 1)
      return { bucket: indexes[at] ?? 0, fraction: Math.min(1, rest / count) };
    rest -= count;
  }
  throw new Error('a histogram without values has no quantile');
}
