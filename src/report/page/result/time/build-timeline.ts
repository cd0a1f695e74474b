import type { Result } from '../../../../result/result.ts';
import type { Interval } from '../../../../result/sections/intervals.ts';
import type { Timeline } from '../../page.ts';
import { roundedMs } from '../../drawn-numbers.ts';
import { countColumns } from './count-columns.ts';
import { marksOf } from './marks.ts';
import { seriesColumns } from './series-columns.ts';
import { shownSeries, type ShownSeries } from './shown-series.ts';
import { timelineRows } from './timeline-rows.ts';

/** What of a result its timeline is made from. */
export type TimedRun = Pick<Result, 'intervals' | 'run' | 'scenario'>;

/** What has values of a series. */
export type Seen = Pick<Interval, 'latency'>;

/** A run over time, and the series that have values in it. */
export interface RunOverTime {
  timeline: Timeline;
  series: readonly ShownSeries[];
}

/** Every histogram is read once: about 0.1 ms each. `seen`: where series are shown that these intervals have no values of. */
export function buildTimeline(result: TimedRun, label: string, seen: readonly Seen[] = []): RunOverTime {
  const rows = timelineRows(result.intervals);
  const series = shownSeries([...rows.map(({ interval }) => interval), ...seen]);
  const { columns, heat } = seriesColumns(rows, series);
  const timeline = {
    label,
    startMs: rows.map(({ interval }) => roundedMs(interval.startMs)),
    lengthMs: rows.map(({ interval }) => roundedMs(interval.lengthMs)),
    columns: { ...countColumns(rows), ...columns },
    heat,
    marks: marksOf(result),
  };
  return { timeline, series };
}
