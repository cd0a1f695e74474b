import { addSparse } from '../../record/add-sparse.ts';
import { quantileOf } from '../../record/quantile.ts';
import { noValues, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import type { ReadTurnTimes, TurnTimes } from '../metrics/drift-series.ts';
import type { Interval } from '../sections/intervals.ts';

/** Reads the histograms of the intervals, about 0.1 ms each, once, and adds up those of a segment once. */
export function openTurnTimes(intervals: readonly Interval[]): ReadTurnTimes {
  const histograms = intervals.map(({ latency }) => {
    const hdr = latency['turn.ok']?.hdr;
    return hdr === undefined ? noValues : readSparse(hdr);
  });
  const known = new Map<string, TurnTimes | undefined>();
  return (from, to) => {
    const key = `${String(from)} ${String(to)}`;
    if (!known.has(key)) known.set(key, timesOf(histograms.slice(from, to)));
    return known.get(key);
  };
}

function timesOf(histograms: readonly SparseHistogram[]): TurnTimes | undefined {
  const sum = addSparse(histograms);
  return sum.total === 0 ? undefined : { p50: quantileOf(sum, 0.5), p95: quantileOf(sum, 0.95) };
}
