import { bucketCount, lowestOf, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import type { Interval } from '../intervals.ts';

/** Of ok turns over neighbouring intervals, in milliseconds. */
export interface TurnTimes {
  p50: number;
  p95: number;
}

/** Tells them from one interval to before another, by their indexes; `undefined` without values. */
export type ReadTurnTimes = (from: number, to: number) => TurnTimes | undefined;

/** Reads the histograms of the intervals, about 0.1 ms each, once, and adds up those of a stretch once. */
export function openTurnTimes(intervals: readonly Interval[]): ReadTurnTimes {
  const histograms = intervals.map(({ latency }) => {
    const hdr = latency['turn.ok']?.hdr;
    return hdr === undefined ? undefined : readSparse(hdr);
  });
  const scratch = new Float64Array(bucketCount);
  const known = new Map<string, TurnTimes | undefined>();
  return (from, to) => {
    const key = `${String(from)} ${String(to)}`;
    if (!known.has(key)) known.set(key, timesOf(histograms.slice(from, to), scratch));
    return known.get(key);
  };
}

function timesOf(histograms: readonly (SparseHistogram | undefined)[], scratch: Float64Array): TurnTimes | undefined {
  const { total, first, last } = addUp(histograms, scratch);
  if (total === 0) return undefined;
  const [p50, p95] = [0.5, 0.95].map((quantile) => locate(scratch, { rank: quantile * total, first, last }) / 1000);
  scratch.fill(0, first, last + 1);
  return { p50: p50 ?? NaN, p95: p95 ?? NaN };
}

interface Sum {
  total: number;
  /** The lowest and the highest bucket that hold something. */
  first: number;
  last: number;
}

function addUp(histograms: readonly (SparseHistogram | undefined)[], into: Float64Array): Sum {
  const sum: Sum = { total: 0, first: bucketCount, last: 0 };
  for (const histogram of histograms) {
    if (histogram === undefined) continue;
    const { indexes, counts, total } = histogram;
    for (let at = 0; at < indexes.length; at++) {
      const index = indexes[at] ?? 0;
      into[index] = (into[index] ?? 0) + (counts[at] ?? 0);
    }
    sum.total += total;
    sum.first = Math.min(sum.first, indexes[0] ?? bucketCount);
    sum.last = Math.max(sum.last, indexes[indexes.length - 1] ?? 0);
  }
  return sum;
}

/** In microseconds: within its bucket the values are taken to be spread evenly. */
function locate(counts: Float64Array, { rank, first, last }: { rank: number; first: number; last: number }): number {
  let rest = rank;
  for (let index = first; index <= last; index++) {
    const count = counts[index] ?? 0;
    if (count > 0 && rest <= count) {
      const low = lowestOf(index);
      // A value of 0 µs stands for anything below half a microsecond, and has to have a logarithm.
      return Math.max(0.5, low + (rest / count) * (lowestOf(index + 1) - low));
    }
    rest -= count;
  }
  return lowestOf(last + 1);
}
