import type { Interval } from '../sections/intervals.ts';
import type { DriftSeries, DriftSegment } from '../metrics/drift-series.ts';
import type { ReadTimes } from '../metrics/drift-series.ts';

/** A series in segments. */
interface SegmentedSeries {
  /** The time of each segment, from its first interval's start to its last one's end, in milliseconds since the run's start. */
  spans: { startMs: number; endMs: number }[];
  values: number[];
}

/** One segment in ten may have too few turns: a pause of the service must not suppress the verdict. */
const leastRead = 0.9;

/**
 * Reads a series in segments of equal numbers of intervals; their number is the first of `counts` that leaves enough
 * turns in each; `undefined` where none does. Means of longer segments are less correlated than those of intervals.
 */
export function readSegments(
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
    if (reading.values.length >= leastRead * count) return reading;
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
