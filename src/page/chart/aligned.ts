import uPlot from 'uplot';
import type { Timeline, TimeSeries } from '../../report/page/page.ts';

/** The middle of every interval: a rate or a percentile is of the whole of it. */
export function middlesOf({ startMs, lengthMs }: Timeline): number[] {
  return startMs.map((start, index) => start + (lengthMs[index] ?? 0) / 2);
}

/** When the last interval of a run ends. */
export function endOf({ startMs, lengthMs }: Timeline): number {
  return (startMs.at(-1) ?? 0) + (lengthMs.at(-1) ?? 0);
}

/**
 * The times of all runs together, and the series on them in their order: a gap (`null`) stays one; at a time of another
 * run there is `undefined`, and the line goes on.
 */
export function align(series: readonly TimeSeries[], timelines: readonly Timeline[]): uPlot.AlignedData {
  const tables = series.map(({ run, column }): uPlot.AlignedData => {
    const timeline = timelines[run];
    return timeline === undefined ? [[], []] : [middlesOf(timeline), columnOf(timeline, column)];
  });
  if (tables.length === 0) return [[]];
  const nullModes = tables.map((table) => table.map(() => 1));
  return uPlot.join(tables, nullModes);
}

/** A run without a last row that is less than half as long as the one before: what ended in a few ms is no rate. */
export function withoutRest(timeline: Timeline): Timeline {
  const { lengthMs, startMs } = timeline;
  const [before, last] = lengthMs.slice(-2);
  return last !== undefined && last < (before ?? 0) / 2 ? { ...timeline, startMs: startMs.slice(0, -1) } : timeline;
}

/** The value of a series at a time; at a time of another run, its last one before. */
export function valueAt(column: ArrayLike<number | null | undefined> | undefined, index: number): number | null {
  let at = index;
  while (at > 0 && column?.[at] === undefined) at--;
  return column?.[at] ?? null;
}

/** The index of the time nearest to an instant, the earlier of two as near; `null`: there is none. */
export function nearestIndex(times: ArrayLike<number>, at: number): number | null {
  let best: number | null = null;
  for (let index = 0; index < times.length; index++)
    if (best === null || Math.abs((times[index] ?? 0) - at) < Math.abs((times[best] ?? 0) - at)) best = index;
  return best;
}

/** Where a value stands alone between gaps: no line would show it. */
export function isolatedOf(column: ArrayLike<number | null | undefined>): number[] {
  const own = Array.from(column, (value, index) => ({ value, index })).filter(({ value }) => value !== undefined);
  const isGap = (at: number): boolean => typeof own[at]?.value !== 'number';
  return own.filter((_, at) => !isGap(at) && isGap(at - 1) && isGap(at + 1)).map(({ index }) => index);
}

const columnOf = ({ columns, startMs }: Timeline, column: string): (number | null)[] =>
  startMs.map((_, row) => columns[column]?.[row] ?? null);

/** Series on top of each other, the topmost first: each holds those below it. A series that is not shown adds nothing. */
export function stack([times, ...columns]: uPlot.AlignedData, isShown: (index: number) => boolean): uPlot.AlignedData {
  const at = Array.from(times);
  const sums = at.map(() => 0);
  const stacked = columns.map((column, index) =>
    isShown(index)
      ? Array.from(column, (value, each) => (sums[each] = (sums[each] ?? 0) + (value ?? 0)))
      : at.map(() => null),
  );
  return [at, ...stacked.toReversed()];
}
