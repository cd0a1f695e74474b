import type { Result } from '../../../../result/result.ts';
import type { Timeline } from '../../page.ts';
import { roundedMs } from '../../rounded.ts';
import { countColumns } from './count-columns.ts';
import { marksOf } from './marks.ts';
import { seriesColumns } from './series-columns.ts';
import { shownSeries, type ShownSeries } from './shown-series.ts';
import { timelineRows } from './timeline-rows.ts';

/** A run over time, and the series in it. Every histogram is read once: about 0.1 ms each. */
export function buildTimeline(result: Result, label: string): { timeline: Timeline; series: ShownSeries[] } {
  const rows = timelineRows(result.intervals);
  const series = shownSeries(rows.map(({ interval }) => interval));
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
