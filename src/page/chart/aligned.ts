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

/** The times of all runs together, and the series on them: a gap (`null`) stays one, between times of another run a line goes on. */
export function align(series: readonly TimeSeries[], timelines: readonly Timeline[]): uPlot.AlignedData {
  const tables = timelines.flatMap((timeline, run): uPlot.AlignedData[] => {
    const columns = series.filter((each) => each.run === run).map(({ column }) => columnOf(timeline, column));
    return columns.length === 0 ? [] : [[middlesOf(timeline), ...columns]];
  });
  if (tables.length === 0) return [[]];
  const nullModes = tables.map((table) => table.map(() => 1));
  const [first] = tables;
  return tables.length === 1 && first !== undefined ? first : uPlot.join(tables, nullModes);
}

const columnOf = (timeline: Timeline, column: string): (number | null)[] => [
  ...(timeline.columns[column] ?? timeline.startMs.map(() => null)),
];

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
