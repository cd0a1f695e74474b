import type { Timeline } from '../../page.ts';
import type { Columns } from './count-columns.ts';
import { heatCells } from './heat-cells.ts';
import { joinSeries, openLatency } from './open-series.ts';
import type { ShownSeries } from './shown-series.ts';
import { statisticNames, statisticsOf } from './statistics.ts';
import type { TimelineRow } from './timeline-rows.ts';

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
