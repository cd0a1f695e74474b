import { sumCounters, type Counters } from '../../record/counters.ts';
import type { SeriesName } from '../../record/series.ts';
import { indexOf, lowestOf, readSparse } from '../../record/sparse-histogram.ts';
import { maxTrackableUs } from '../../record/histogram.ts';
import type { StoredSeries } from '../../record/stored-series.ts';
import type { Tally } from '../../record/tally.ts';
import { sumOf } from '../../statistics/averages.ts';

/** A part of a whole; both are additive over intervals of a run. */
interface PartOfWhole {
  part: number;
  whole: number;
}

/**
 * A metric as a part of a whole, so that data of several intervals can be added and judged during a run: `turn.p95 < 2s`
 * means that less than 5 % of the turns take longer than 2 s.
 */
export interface MetricPart {
  /**
   * `share`: the part is among the whole. `events`: events of the whole, possibly several for one. `mean`: a sum over its
   * count. `count`: it only grows, and its limit is passed permanently.
   */
  kind: 'share' | 'events' | 'mean' | 'count';
  /** Converts a limit in the metric's unit to a limit of part / whole (`count`: of the part). */
  limitOf(limit: number): number;
  /** Returns the figure in the metric's unit; absent if part / whole does not determine it. */
  figureOf?(share: number): number;
  read(tally: Tally, limit: number): PartOfWhole;
}

/** Returns the share of values over the limit of a percentile. Values of `failed` are always over it. */
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
      const [finite, failures] = [storedOf(tally, series), countOf(storedOf(tally, failed))];
      const slow = sumOf(finite.map((stored) => overLimit(stored, limitMs)));
      return { part: slow + failures, whole: countOf(finite) + failures };
    },
  };
}

export function meanPart(series: readonly SeriesName[]): MetricPart {
  return {
    kind: 'mean',
    limitOf: (limit) => limit,
    figureOf: (share) => share,
    read: (tally) => {
      const stored = storedOf(tally, series);
      return { part: sumOf(stored.map(({ sumUs }) => sumUs)) / 1000, whole: countOf(stored) };
    },
  };
}

export type ReadCounters<Read = Counters> = (counters: Read) => readonly [part: number, whole: number];

export function sharePart(countsOf: ReadCounters): MetricPart {
  return { kind: 'share', limitOf: (limit) => limit, figureOf: (share) => share, read: readerOf(countsOf) };
}

export function excessPart(countsOf: ReadCounters): MetricPart {
  return { kind: 'events', limitOf: (limit) => limit - 1, figureOf: (share) => 1 + share, read: readerOf(countsOf) };
}

export function countPart(countsOf: ReadCounters): MetricPart {
  return { kind: 'count', limitOf: (limit) => limit, read: readerOf(countsOf) };
}

/** Reads a mean of counted numbers: their sum, and how many there are. */
export function meanOfPart(countsOf: ReadCounters): MetricPart {
  return { kind: 'mean', limitOf: (limit) => limit, figureOf: (mean) => mean, read: readerOf(countsOf) };
}

const readerOf =
  (countsOf: ReadCounters): MetricPart['read'] =>
  ({ counters }) => {
    const [part, whole] = countsOf(sumCounters([counters]));
    return { part, whole };
  };

const countOf = (stored: readonly StoredSeries[]): number => sumOf(stored.map(({ count }) => count));

const storedOf = ({ series }: Tally, names: readonly SeriesName[]): StoredSeries[] =>
  names.flatMap((name) => series[name] ?? []);

/** Counts the values over a limit, which is rounded to the nearer edge of its bucket. */
function overLimit({ hdr, minUs, maxUs }: StoredSeries, limitMs: number): number {
  const us = Math.min(limitMs * 1000, maxTrackableUs);
  const bucket = indexOf(Math.floor(us));
  const from = us - lowestOf(bucket) < lowestOf(bucket + 1) - us ? bucket : bucket + 1;
  // Most intervals are far from the limit, and decoding a histogram is slow.
  if (maxUs < lowestOf(from)) return 0;
  const { indexes, counts, total } = readSparse(hdr);
  if (minUs >= lowestOf(from)) return total;
  return counts.reduce((sum, count, at) => ((indexes[at] ?? 0) >= from ? sum + count : sum), 0);
}
