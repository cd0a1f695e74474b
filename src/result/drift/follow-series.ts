import type { Interval } from '../sections/intervals.ts';
import type { DriftSeries, DriftSegment, ReadTimes } from '../metrics/drift-series.ts';
import { clip, median } from '../../statistics/averages.ts';
import { hourMs, levelScaleOf } from './find-crossing.ts';
import { findSawtooth, type Sawtooth, findStep, type Step } from '../../statistics/change-points.ts';
import { testTrend, type TrendTest } from '../../statistics/test-trend.ts';
import type { Point } from '../../statistics/test-trend.ts';

/** A series in segments. */
interface SegmentedSeries {
  /** Time span of each segment, in milliseconds since the start of the run. */
  spans: { startMs: number; endMs: number }[];
  values: number[];
}

/** Minimum share of readable segments: a pause of the service must not suppress the verdict. */
const minRead = 0.9;

/**
 * Reads a series in segments of equal numbers of intervals; their number is the first of `counts` that leaves enough turns
 * in each; `undefined` if none does. Means of longer segments are less correlated than means of intervals.
 */
function readSegments(
  { intervals, times }: { intervals: readonly Interval[]; times: ReadTimes },
  series: DriftSeries,
  counts: readonly number[],
): SegmentedSeries | undefined {
  for (const count of counts) {
    if (count > intervals.length) continue;
    const reading: SegmentedSeries = { spans: [], values: [] };
    for (const segment of cut(intervals, times, count)) {
      const value = series.read(segment);
      if (value === undefined) continue;
      reading.spans.push(spanOf(segment));
      reading.values.push(value);
    }
    if (reading.values.length >= minRead * count) return reading;
  }
  return undefined;
}

function cut(intervals: readonly Interval[], times: ReadTimes, count: number): DriftSegment[] {
  const edge = (index: number): number => Math.round((index * intervals.length) / count);
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [edge(index), edge(index + 1)];
    return { intervals: intervals.slice(from, to), from, to, times };
  });
}

function spanOf({ intervals }: DriftSegment): { startMs: number; endMs: number } {
  const [first, last] = [intervals[0], intervals.at(-1)];
  return { startMs: first?.startMs ?? 0, endMs: (last?.startMs ?? 0) + (last?.lengthMs ?? 0) };
}

/** The course of a series before any judgement. Levels are on the scale of its unit, times in milliseconds. */
export interface Followed {
  segments: number;
  /** Trend per hour. */
  trend: TrendTest;
  /** Level of the trend at the end of the last segment. */
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

/** Follows a series through the run; `undefined` with too few turns. */
export function followSeries(
  run: { intervals: readonly Interval[]; times: ReadTimes },
  series: DriftSeries,
): Followed | undefined {
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

interface SpannedPoint extends Point {
  startMs: number;
}

function pointsOf(
  run: { intervals: readonly Interval[]; times: ReadTimes },
  series: DriftSeries,
  counts: readonly number[],
): SpannedPoint[] | undefined {
  const reading = readSegments(run, series, counts);
  const scale = levelScaleOf(series.unit);
  return reading?.spans.flatMap(({ startMs, endMs }, index) => {
    const value = scale.of(reading.values[index] ?? NaN);
    return value === undefined ? [] : [{ at: (startMs + endMs) / 2 / hourMs, value, startMs }];
  });
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
