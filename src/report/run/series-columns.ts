import { addSparse } from '../../record/dense-histogram.ts';
import { partsOf, publishedSeries } from '../../record/series.ts';
import { bucketCount, lowestOf, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import { percentiles } from '../../result/percentiles/percentiles.ts';
import { percentilesBy, rankedValues } from '../../result/sections/latency-summary.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { rounded, heatFromMs, heatStep, type Timeline } from '../page/page.ts';

/** A place on the time axis of a run. */
export interface TimelineRow {
  interval: Interval;
  /** The intervals whose events are its own, and how long they took together. */
  counted: readonly Interval[];
  countedMs: number;
  /** Turns that ended in it, but were begun in the warm-up that is over by then: in no published figure. */
  warmUpTurns: number;
}

export type Columns = Record<string, readonly (number | null)[]>;

type SeriesPart = keyof Interval['latency'];

/** A series that a reader can choose. */
export interface ShownSeries {
  /** Names its columns: `turn`, `turn.ok`. */
  key: string;
  label: string;
  /** The stored series that it is made of. */
  parts: readonly SeriesPart[];
  /** Whether its heat map is shown: of whole series, backoffs as planned apart. */
  hasHeat: boolean;
}

/** The series with values, each followed by its ok and its failed part where something of it failed. */
export function shownSeries(intervals: readonly Pick<Interval, 'latency'>[]): ShownSeries[] {
  const seen = new Set(intervals.flatMap(({ latency }) => Object.keys(latency)));
  return publishedSeries.flatMap((series) => {
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

/** Every statistic of every series over time, and their heat maps; columns without a value are left out. */
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

/** A column of nothing at first. */
function columnIn(columns: Map<string, (number | null)[]>, name: string, length: number): (number | null)[] {
  const there = columns.get(name);
  if (there !== undefined) return there;
  const column = new Array<number | null>(length).fill(null);
  columns.set(name, column);
  return column;
}

/** What a series holds in an interval, its histogram read. */
interface OpenSeries {
  count: number;
  sumMs: number;
  minMs: number;
  maxMs: number;
  histogram: SparseHistogram;
}

/** Reads every histogram of an interval, each once. */
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

/** The values of parts together; `undefined` where there are none. */
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

/** The statistics of a series in an interval, as a reader chooses them; their columns are `series.statistic`. */
export const statisticNames: readonly string[] = ['min', 'mean', ...percentiles.map(({ name }) => name), 'max'];

/** Their values in milliseconds, in that order; a percentile is `null` below its sample floor. */
function statisticsOf(series: OpenSeries): (number | null)[] {
  const { count, sumMs, minMs, maxMs, histogram } = series;
  const found = percentilesBy(count, rankedValues(histogram, { minMs, maxMs }));
  return [minMs, sumMs / count, ...percentiles.map(({ key }) => found[key]), maxMs].map((value) =>
    value === null ? null : rounded(value),
  );
}

/** The row of the heat map of every bucket of a histogram, by its middle; what is shorter than the first row is in it. */
const heatRows = Uint8Array.from({ length: bucketCount }, (_, index) => {
  const middleMs = (lowestOf(index) + lowestOf(index + 1)) / 2000;
  return Math.max(0, Math.floor(Math.log(middleMs / heatFromMs) / Math.log(heatStep)));
});

/** The values of an interval by row of the heat map: pairs of a row and its count, flat, by rising row. */
export function heatCells({ indexes, counts }: SparseHistogram): number[] {
  const cells: number[] = [];
  for (let place = 0; place < indexes.length; place++) {
    const row = heatRows[indexes[place] ?? 0] ?? 0;
    const last = cells.length - 2;
    if (cells[last] === row) cells[last + 1] = (cells[last + 1] ?? 0) + (counts[place] ?? 0);
    else cells.push(row, counts[place] ?? 0);
  }
  return cells;
}
