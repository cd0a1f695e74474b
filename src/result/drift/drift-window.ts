import type { Load, Segment } from '../../plan/plan.ts';
import { median } from '../../statistics/averages.ts';
import type { Interval } from '../sections/intervals.ts';
import { addSparse } from '../../record/dense-histogram.ts';
import { quantileOf } from '../../record/histogram.ts';
import { HeldHistograms, noValues, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import { endOf } from './follow-series.ts';
import type { FollowedPart, ReadTimes, Times } from '../metrics/drift-series.ts';

export interface Timing {
  durationMs: number | null;
  load: Load;
}

/**
 * Returns the intervals of constant load: after the warm-up, on the longest level of the load, before the end of the
 * duration, and without the end, when fewer and fewer sessions are live. If the load itself rises or falls, slower turns
 * are not a drift.
 */
export function steadyWindow(intervals: readonly Interval[], { durationMs, load }: Timing): Interval[] {
  // Recorded traffic has no steady level.
  const isReplay = load.model === 'open' && load.trace !== undefined;
  const level = isReplay ? undefined : longestLevel(load.segments, intervals);
  if (level === undefined) return [];
  const end = Math.min(level.end, durationMs ?? Infinity);
  const inside = intervals.filter(
    ({ warmUp, startMs, lengthMs }) => !warmUp && lengthMs > 0 && startMs >= level.start && startMs + lengthMs <= end,
  );
  return withoutThinning(inside);
}

function longestLevel(
  segments: readonly Segment[],
  intervals: readonly Interval[],
): { start: number; end: number } | undefined {
  return segments
    .filter(({ from, to }) => from === to && to > 0)
    .map(({ startMs, endMs }) => ({ start: startMs, end: Math.min(endMs ?? Infinity, endOf(intervals)) }))
    .toSorted((a, b) => b.end - b.start - (a.end - a.start))[0];
}

/** Minimum share of the median number of live sessions; below it the run is thinning out. */
const minLive = 0.9;

function withoutThinning(intervals: readonly Interval[]): Interval[] {
  const live = intervals.map(({ concurrency }) => concurrency?.sessions.mean ?? null);
  const known = live.filter((each) => each !== null);
  const min = known.length === 0 ? 0 : minLive * median(known);
  const last = live.findLastIndex((each) => each === null || each >= min);
  return intervals.slice(0, last + 1);
}

/** Opens the histograms of a requested series once (about 0.1 ms per interval), and sums each segment once. */
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
