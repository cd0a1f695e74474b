import { addSparse } from '../../record/add-sparse.ts';
import { quantileOf } from '../../record/quantile.ts';
import { HeldHistograms, noValues, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import type { FollowedPart, ReadTimes, Times } from '../metrics/drift-series.ts';
import type { Interval } from '../sections/intervals.ts';

/** Reads the histograms of a series that is asked for, about 0.1 ms an interval, once, and adds up those of a segment once. */
export function openTimes(intervals: readonly Interval[]): ReadTimes {
  const opened = new Map<FollowedPart, readonly SparseHistogram[]>();
  const known = new Map<string, Times | undefined>();
  const histogramsOf = (part: FollowedPart): readonly SparseHistogram[] => {
    const histograms = opened.get(part) ?? readAll(intervals, part);
    opened.set(part, histograms);
    return histograms;
  };
  return (part, from, to) => {
    const key = `${part} ${String(from)} ${String(to)}`;
    if (!known.has(key)) known.set(key, timesOf(histogramsOf(part).slice(from, to)));
    return known.get(key);
  };
}

function readAll(intervals: readonly Interval[], part: FollowedPart): SparseHistogram[] {
  const held = new HeldHistograms();
  return intervals.map(({ latency }) => {
    const hdr = latency[part]?.hdr;
    return hdr === undefined ? noValues : held.hold(readSparse(hdr));
  });
}

function timesOf(histograms: readonly SparseHistogram[]): Times | undefined {
  const sum = addSparse(histograms);
  return sum.total === 0 ? undefined : { p50: quantileOf(sum, 0.5), p95: quantileOf(sum, 0.95) };
}
