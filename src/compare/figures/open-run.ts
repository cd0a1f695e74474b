import type { Result } from '../../result/result.ts';
import { measuredWindow } from './measured-window.ts';
import { openSeries, type SeriesWindow } from '../../result/percentiles/series-window.ts';
import { intervalPart, wholePart, type RunPart } from './run-part.ts';
import { sumOf } from '../../statistics/sum-of.ts';

/** A run, or its measured window, as segments; each series is read once, when first needed. */
export interface OpenRun {
  parts: readonly RunPart[];
  lengthMs: number;
  /** The number of events of a kind, by segment. */
  counts: (event: string) => number[];
  series: (name: string) => SeriesWindow;
}

/** A result with its two views. */
export interface OpenResult {
  /** By interval, the warm-up and the drain left out. */
  window: OpenRun;
  /** By the published totals: one segment. Only these contain turns by position, and unanswered ones. */
  whole: OpenRun;
}

export function openResult(result: Result): OpenResult {
  return {
    window: openRun(measuredWindow(result).map(intervalPart)),
    whole: openRun([wholePart(result)]),
  };
}

export function openRun(parts: readonly RunPart[]): OpenRun {
  const read = new Map<string, SeriesWindow>();
  const series = (name: string): SeriesWindow => {
    const window = read.get(name) ?? openSeries(parts, name);
    read.set(name, window);
    return window;
  };
  const counts = (event: string): number[] => parts.map((part) => countOf(part, event));
  return { parts, lengthMs: sumOf(parts.map(({ lengthMs }) => lengthMs)), counts, series };
}

function countOf({ counts }: RunPart, event: string): number {
  const count = counts.get(event);
  if (count === undefined) throw new Error(`no event is called ${event}`);
  return count;
}
