import uPlot from 'uplot';
import type { Timeline, TimeSeries } from '../../report/page/page.ts';

/** Returns the middle of every interval, because rates and percentiles describe whole intervals. */
export function middlesOf({ startMs, lengthMs }: Timeline): number[] {
  return startMs.map((start, index) => start + (lengthMs[index] ?? 0) / 2);
}

export function endOf({ startMs, lengthMs }: Timeline): number {
  return (startMs.at(-1) ?? 0) + (lengthMs.at(-1) ?? 0);
}

/**
 * Aligns the series of all runs to the union of their times. A gap stays `null`; times of other runs are `undefined`, at
 * which a line continues.
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

/**
 * Drops a last interval less than half as long as the previous one, because a rate over a few milliseconds means
 * nothing.
 */
export function withoutRest(timeline: Timeline): Timeline {
  const { lengthMs, startMs } = timeline;
  const [before, last] = lengthMs.slice(-2);
  return last !== undefined && last < (before ?? 0) / 2 ? { ...timeline, startMs: startMs.slice(0, -1) } : timeline;
}

/** Returns the value of a series at a time; at the time of another run, its previous value. */
export function valueAt(column: ArrayLike<number | null | undefined> | undefined, index: number): number | null {
  let at = index;
  while (at > 0 && column?.[at] === undefined) at--;
  return column?.[at] ?? null;
}

/** Returns the index of the nearest time, the earlier of two equally near ones; null without times. */
export function nearestIndex(times: ArrayLike<number>, at: number): number | null {
  let best: number | null = null;
  for (let index = 0; index < times.length; index++)
    if (best === null || Math.abs((times[index] ?? 0) - at) < Math.abs((times[best] ?? 0) - at)) best = index;
  return best;
}

/** Returns the indexes of values between gaps, which need a point because no line shows them. */
export function isolatedOf(column: ArrayLike<number | null | undefined>): number[] {
  const own = Array.from(column, (value, index) => ({ value, index })).filter(({ value }) => value !== undefined);
  const isGap = (at: number): boolean => typeof own[at]?.value !== 'number';
  return own.filter((_, at) => !isGap(at) && isGap(at - 1) && isGap(at + 1)).map(({ index }) => index);
}

const columnOf = ({ columns, startMs }: Timeline, column: string): (number | null)[] =>
  startMs.map((_, row) => columns[column]?.[row] ?? null);

/** Stacks series, the topmost first; each value includes those below it. Hidden series add nothing. */
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
