import { addSparse } from '../../record/dense-histogram.ts';
import { isOfModel, partsOf, publishedSeries } from '../../record/series.ts';
import { bucketCount, lowestOf, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import { percentiles } from '../../result/percentiles/percentiles.ts';
import { percentilesBy, rankedValues } from '../../result/sections/latency-summary.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { rounded, heatFromMs, heatStep, type Timeline } from '../page/page.ts';

export interface TimelineRow {
  interval: Interval;
  /** Intervals counted together for its rates, and their total length. */
  counted: readonly Interval[];
  countedMs: number;
  /** Turns that started in the warm-up but ended in this later interval; published figures exclude them. */
  warmUpTurns: number;
}

export type Columns = Record<string, readonly (number | null)[]>;

type SeriesPart = keyof Interval['latency'];

export interface ShownSeries {
  /** Prefix of its columns: `turn`, `turn.ok`. */
  key: string;
  label: string;
  /** Stored series that it consists of. */
  parts: readonly SeriesPart[];
  /** True if it has a heat map: whole series except planned backoffs. */
  hasHeat: boolean;
}

/** Returns the series with values, each followed by its ok and failed parts if it has failures; those of model calls have charts of their own. */
export function shownSeries(intervals: readonly Pick<Interval, 'latency'>[]): ShownSeries[] {
  const seen = new Set(intervals.flatMap(({ latency }) => Object.keys(latency)));
  return publishedSeries.flatMap((series) => {
    if (isOfModel(series)) return [];
    const parts = partsOf(series)
      .map(({ part }) => part)
      .filter((part) => seen.has(part));
    if (parts.length === 0) return [];
    const whole = { key: series.name, label: series.label, parts, hasHeat: series.name !== 'backoff' };
    return seen.has(`${series.name}.failed`) ? [whole, ...parts.map((part) => partOf(part, series.label))] : [whole];
  });
}

const partOf = (part: SeriesPart, label: string): ShownSeries => ({
  key: part,
  label: `${label}, ${part.endsWith('.ok') ? 'ok' : 'failed'}`,
  parts: [part],
  hasHeat: false,
});

interface SeriesOverTime {
  columns: Columns;
  heat: Timeline['heat'];
}

/** Computes every statistic of every series over time, and their heat maps; omits columns without values. */
export function seriesColumns(rows: readonly TimelineRow[], series: readonly ShownSeries[]): SeriesOverTime {
  const columns = new Map<string, (number | null)[]>();
  const heat = new Map<string, number[][]>(series.filter(({ hasHeat }) => hasHeat).map(({ key }) => [key, []]));
  rows.forEach(({ interval }, at) => {
    const opened = openLatency(interval);
    for (const { key, parts } of series) {
      const joined = joinSeries(parts.flatMap((part) => opened.get(part) ?? []));
      heat.get(key)?.push(joined === undefined ? [] : heatCells(joined.histogram));
      if (joined === undefined) continue;
      statisticsOf(joined).forEach((value, index) => {
        if (value !== null) columnIn(columns, `${key}.${statisticNames[index] ?? ''}`, rows.length)[at] = value;
      });
    }
  });
  return { columns: Object.fromEntries(columns), heat: Object.fromEntries(heat) };
}

/** Returns the column of a name, created empty if it is missing. */
function columnIn(columns: Map<string, (number | null)[]>, name: string, length: number): (number | null)[] {
  const existing = columns.get(name);
  if (existing !== undefined) return existing;
  const column = new Array<number | null>(length).fill(null);
  columns.set(name, column);
  return column;
}

/** Values of a series in an interval, with its histogram decoded. */
interface OpenSeries {
  count: number;
  sumMs: number;
  minMs: number;
  maxMs: number;
  histogram: SparseHistogram;
}

/** Decodes every histogram of an interval once. */
function openLatency({ latency }: Pick<Interval, 'latency'>): Map<SeriesPart, OpenSeries> {
  const parts = Object.entries(latency) as [SeriesPart, NonNullable<Interval['latency'][SeriesPart]>][];
  return new Map(
    parts
      .filter(([, { count }]) => count > 0)
      .map(([part, { count, sumMs, minMs, maxMs, hdr }]) => [
        part,
        { count, sumMs, minMs, maxMs, histogram: readSparse(hdr) },
      ]),
  );
}

/** Merges the values of parts; returns `undefined` if there are no parts. */
function joinSeries(parts: readonly OpenSeries[]): OpenSeries | undefined {
  const [first, ...rest] = parts;
  if (first === undefined || rest.length === 0) return first;
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    sumMs: parts.reduce((sum, { sumMs }) => sum + sumMs, 0),
    minMs: Math.min(...parts.map(({ minMs }) => minMs)),
    maxMs: Math.max(...parts.map(({ maxMs }) => maxMs)),
    histogram: addSparse(parts.map(({ histogram }) => histogram)),
  };
}

/** Statistics of a series in an interval, by the names of their columns: `series.statistic`. */
export const statisticNames: readonly string[] = ['min', 'mean', ...percentiles.map(({ name }) => name), 'max'];

/** Returns the statistics in milliseconds, in the order of their names; a percentile is `null` below its sample floor. */
function statisticsOf(series: OpenSeries): (number | null)[] {
  const { count, sumMs, minMs, maxMs, histogram } = series;
  const found = percentilesBy(count, rankedValues(histogram, { minMs, maxMs }));
  return [minMs, sumMs / count, ...percentiles.map(({ key }) => found[key]), maxMs].map((value) =>
    value === null ? null : rounded(value),
  );
}

/** Heat-map row of every histogram bucket, by the middle of the bucket; the first row includes all shorter values. */
const heatRows = Uint8Array.from({ length: bucketCount }, (_, index) => {
  const middleMs = (lowestOf(index) + lowestOf(index + 1)) / 2000;
  return Math.max(0, Math.floor(Math.log(middleMs / heatFromMs) / Math.log(heatStep)));
});

/** Returns the heat map of an interval as a flat list of pairs, row and count, by ascending row. */
export function heatCells({ indexes, counts }: SparseHistogram): number[] {
  const cells: number[] = [];
  for (let at = 0; at < indexes.length; at++) {
    const row = heatRows[indexes[at] ?? 0] ?? 0;
    const last = cells.length - 2;
    if (cells[last] === row) cells[last + 1] = (cells[last + 1] ?? 0) + (counts[at] ?? 0);
    else cells.push(row, counts[at] ?? 0);
  }
  return cells;
}
