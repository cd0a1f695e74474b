import { sumCounters, type Counters } from '../../record/counters.ts';
import type { SeriesName } from '../../record/series.ts';
import { indexOf, lowestOf, readSparse } from '../../record/sparse-histogram.ts';
import { maxTrackableUs } from '../../record/histogram.ts';
import type { StoredSeries } from '../../record/stored-series.ts';
import type { Tally } from '../../record/tally.ts';

/** A part of a whole; both add up over stretches of a run. */
interface PartOfWhole {
  part: number;
  whole: number;
}

/**
 * How a metric is read as a part of a whole, so that what was seen in stretches of a run can be added and judged while
 * the run goes on: `turn.p95 < 2s` says that less than 5 % of the turns take longer than 2 s.
 */
export interface MetricPart {
  /**
   * `share`: the part is among the whole. `events`: things that happen to the whole, several to one if need be. `mean`: a
   * sum over its count. `count`: it only grows, and its limit is passed once and for all.
   */
  kind: 'share' | 'events' | 'mean' | 'count';
  /** The limit of part / whole (`count`: of the part) that a limit in the metric's unit stands for. */
  limitOf(limit: number): number;
  /** The figure in the metric's unit; absent where part / whole does not give it. */
  figureOf?(share: number): number;
  /** Of a stretch; `limit` in the metric's unit. */
  read(tally: Tally, limit: number): PartOfWhole;
}

/** A percentile: the values over the limit, of all. Those of `failed` are over it whatever they took. */
export function partOver(
  percent: number,
  { series, failed = [] }: { series: readonly SeriesName[]; failed?: readonly SeriesName[] },
): MetricPart {
  const limitShare = (100 - percent) / 100;
  return {
    kind: 'share',
    // Percentages are decimal: 1 - 0.95 is a little more than 0.05.
    limitOf: () => Math.round(limitShare * 1e6) / 1e6,
    read: (tally, limitMs) => {
      const all = storedOf(tally, [...series, ...failed]);
      const slow = storedOf(tally, series).reduce((sum, stored) => sum + overLimit(stored, limitMs), 0);
      const failures = storedOf(tally, failed).reduce((sum, { count }) => sum + count, 0);
      return { part: slow + failures, whole: all.reduce((sum, { count }) => sum + count, 0) };
    },
  };
}

/** The mean of durations, in milliseconds. */
export function meanPart(series: readonly SeriesName[]): MetricPart {
  return {
    kind: 'mean',
    limitOf: (limit) => limit,
    figureOf: (share) => share,
    read: (tally) => {
      const stored = storedOf(tally, series);
      return {
        part: stored.reduce((sum, { sumUs }) => sum + sumUs, 0) / 1000,
        whole: stored.reduce((sum, { count }) => sum + count, 0),
      };
    },
  };
}

export type ReadCounters<Read = Counters> = (counters: Read) => readonly [part: number, whole: number];

/** Counted things among others. */
export function sharePart(countsOf: ReadCounters): MetricPart {
  return { kind: 'share', limitOf: (limit) => limit, figureOf: (share) => share, read: readerOf(countsOf) };
}

/** What happens beyond once to each: the excess over one. */
export function excessPart(countsOf: ReadCounters): MetricPart {
  return {
    kind: 'events',
    limitOf: (limit) => limit - 1,
    figureOf: (share) => 1 + share,
    read: readerOf(countsOf),
  };
}

/** A count that must not be exceeded. */
export function countPart(countsOf: ReadCounters): MetricPart {
  return { kind: 'count', limitOf: (limit) => limit, read: readerOf(countsOf) };
}

const readerOf =
  (countsOf: ReadCounters): MetricPart['read'] =>
  ({ counters }) => {
    const [part, whole] = countsOf(sumCounters([counters]));
    return { part, whole };
  };

const storedOf = ({ series }: Tally, names: readonly SeriesName[]): StoredSeries[] =>
  names.flatMap((name) => series[name] ?? []);

/** How many values are over a limit, which is moved to the nearer edge of its bucket. */
function overLimit({ hdr, minUs, maxUs }: StoredSeries, limitMs: number): number {
  const us = Math.min(limitMs * 1000, maxTrackableUs);
  const bucket = indexOf(Math.floor(us));
  const from = us - lowestOf(bucket) < lowestOf(bucket + 1) - us ? bucket : bucket + 1;
  // Most stretches are far from the limit, and reading a histogram takes a while.
  if (maxUs < lowestOf(from)) return 0;
  const { indexes, counts, total } = readSparse(hdr);
  if (minUs >= lowestOf(from)) return total;
  return counts.reduce((sum, count, at) => ((indexes[at] ?? 0) >= from ? sum + count : sum), 0);
}
