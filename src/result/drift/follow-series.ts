import type { Interval } from '../sections/intervals.ts';
import type { DriftSeries, ReadTimes } from '../metrics/drift-series.ts';
import { clip, median } from '../../statistics/averages.ts';
import { hourMs, levelScales } from './find-crossing.ts';
import { findSawtooth, type Sawtooth, findStep, type Step } from '../../statistics/change-points.ts';
import { testTrend, type Point, type TrendTest } from '../../statistics/test-trend.ts';

/** Minimum share of readable segments: a pause of the service must not suppress the verdict. */
const minRead = 0.9;

export interface FollowedRun {
  intervals: readonly Interval[];
  times: ReadTimes;
}

interface SpannedPoint extends Point {
  startMs: number;
}

/**
 * Reads a series on the scale of its unit, in segments of equal numbers of intervals; their number is the first of `counts`
 * that leaves enough turns in each; `undefined` if none does. Means of longer segments are less correlated than means of
 * intervals.
 */
function pointsOf(
  { intervals, times }: FollowedRun,
  series: DriftSeries,
  counts: readonly number[],
): SpannedPoint[] | undefined {
  for (const count of counts) {
    if (count > intervals.length) continue;
    const read = Array.from({ length: count }, (_, at) => {
      const [from, to] = [at, at + 1].map((edge) => Math.round((edge * intervals.length) / count)) as [number, number];
      const segment = { intervals: intervals.slice(from, to), from, to, times };
      return { segment: segment.intervals, value: series.read(segment) };
    }).filter(({ value }) => value !== undefined);
    if (read.length < minRead * count) continue;
    return read.flatMap(({ segment, value = NaN }) => {
      const level = levelScales[series.unit].of(value);
      const [startMs, endMs] = [segment[0]?.startMs ?? 0, endOf(segment)];
      return level === undefined ? [] : [{ at: (startMs + endMs) / 2 / hourMs, value: level, startMs }];
    });
  }
  return undefined;
}

/** Returns the end of the last interval; 0 if there are none. */
export function endOf(intervals: readonly Interval[]): number {
  const last = intervals.at(-1);
  return last === undefined ? 0 : last.startMs + last.lengthMs;
}

/** The course of a series before any judgement. Levels are on the scale of its unit, times in milliseconds. */
export interface Followed {
  segments: number;
  trend: TrendTest;
  endLevel: number;
  /** Time from the middle of the first segment to the middle of the last. */
  hours: number;
  step: (Step & { atMs: number }) | undefined;
  sawtooth: (Sawtooth & { everyMs: number }) | undefined;
}

/** Numbers of segments for a trend and a step. With more, neighbours are too correlated; with fewer, too little is visible. */
const segmentCounts = [48, 40, 32, 24];
/** Numbers of segments for a sawtooth, which disappears if a segment contains a whole tooth. */
const fineCounts = [240, 160, 96, 48];
/** A step explains the series better than a line if its residual sum of squares is smaller by this factor. */
const clearlyLess = 0.8;

export function followSeries(run: FollowedRun, series: DriftSeries): Followed | undefined {
  const points = pointsOf(run, series, segmentCounts);
  const [first, last] = [points?.[0], points?.at(-1)];
  if (points === undefined || first === undefined || last === undefined) return undefined;
  const trend = testTrend(points);
  const start = median(points.map(({ at, value }) => value - trend.slope * at));
  return {
    segments: points.length,
    trend,
    endLevel: start + trend.slope * last.at,
    hours: last.at - first.at,
    step: stepOf(points, squaresAround(points, { start, slope: trend.slope })),
    // Counts of rare failures are skewed, and resemble teeth by chance.
    sawtooth:
      series.subject === 'service' && series.unit !== 'share'
        ? sawtoothOf(pointsOf(run, series, fineCounts) ?? [])
        : undefined,
  };
}

function stepOf(points: readonly SpannedPoint[], aroundLine: number): Followed['step'] {
  const step = findStep(points.map(({ value }) => value));
  if (step === undefined || step.squares > clearlyLess * aroundLine) return undefined;
  return { ...step, atMs: points[step.index]?.startMs ?? 0 };
}

/** Returns the residual sum of squares around the line, over the clipped values by which a step is judged. */
function squaresAround(points: readonly Point[], { start, slope }: { start: number; slope: number }): number {
  const values = clip(points.map(({ value }) => value));
  return points.reduce((sum, { at }, index) => sum + ((values[index] ?? 0) - start - slope * at) ** 2, 0);
}

function sawtoothOf(points: readonly SpannedPoint[]): Followed['sawtooth'] {
  const found = findSawtooth(points.map(({ value }) => value));
  if (found === undefined) return undefined;
  const times = found.falls.map((fall) => points[fall]?.startMs ?? 0);
  return { ...found, everyMs: median(times.slice(1).map((time, at) => time - (times[at] ?? 0))) };
}
