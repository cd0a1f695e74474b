import { addSparse } from '../../../../record/add-sparse.ts';
import { readSparse, type SparseHistogram } from '../../../../record/sparse-histogram.ts';
import type { Interval } from '../../../../result/sections/intervals.ts';
import type { SeriesPart } from './shown-series.ts';

/** What a series holds in an interval, its histogram read. */
export interface OpenSeries {
  count: number;
  sumMs: number;
  minMs: number;
  maxMs: number;
  histogram: SparseHistogram;
}

/** Reads every histogram of an interval, each once. */
export function openLatency({ latency }: Pick<Interval, 'latency'>): Map<SeriesPart, OpenSeries> {
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
export function joinSeries(parts: readonly OpenSeries[]): OpenSeries | undefined {
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
