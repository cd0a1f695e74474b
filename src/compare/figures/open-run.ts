import type { Result } from '../../result/result.ts';
import { measuredWindow } from './measured-window.ts';
import { openSeries, type SeriesWindow } from '../../result/percentiles/series-window.ts';
import { intervalStretch, wholeStretch, type Stretch } from './stretch.ts';
import { sumOf } from './sum-of.ts';

/** A run, or its measured window, as stretches; a series is read when it is first asked for, and once. */
export interface OpenRun {
  stretches: readonly Stretch[];
  lengthMs: number;
  /** How many events of a kind there were, by stretch. */
  counts: (event: string) => number[];
  series: (name: string) => SeriesWindow;
}

/** A result with its two views. */
export interface OpenResult {
  /** By interval, the warm-up and the drain left out. */
  window: OpenRun;
  /** By the totals that are published: one stretch. Only these contain turns by position, and unanswered ones. */
  whole: OpenRun;
}

export function openResult(result: Result): OpenResult {
  return {
    window: openRun(measuredWindow(result).map(intervalStretch)),
    whole: openRun([wholeStretch(result)]),
  };
}

export function openRun(stretches: readonly Stretch[]): OpenRun {
  const read = new Map<string, SeriesWindow>();
  const series = (name: string): SeriesWindow => {
    const window = read.get(name) ?? openSeries(stretches, name);
    read.set(name, window);
    return window;
  };
  const counts = (event: string): number[] => stretches.map((stretch) => countOf(stretch, event));
  return { stretches, lengthMs: sumOf(stretches.map(({ lengthMs }) => lengthMs)), counts, series };
}

function countOf({ counts }: Stretch, event: string): number {
  const count = counts.get(event);
  if (count === undefined) throw new Error(`no event is called ${event}`);
  return count;
}
