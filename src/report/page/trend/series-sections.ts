import type { PublishedMetric, Trend, TrendGroup } from '../../../compare/trend/trend.ts';
import { placeText, seriesName, seriesText } from '../../trend/series-words.ts';
import { nightTexts, quietText, trendRows } from '../../trend/trend-words.ts';
import type { Section, TableBlock } from '../page.ts';
import { proseBlock } from '../prose-block.ts';
import { tableBlock } from '../table-block.ts';
import { eventTable } from './event-table.ts';
import { metricLines } from './metric-lines.ts';
import { nightTable } from './night-table.ts';

/** A series: its changes, its gated metrics, the informational ones and its nights. */
export function seriesSections(group: TrendGroup, { trend, index }: { trend: Trend; index: number }): Section[] {
  const id = `series-${String(index + 1)}`;
  const name = seriesName(group, trend);
  const linesOf = (isGated: boolean) =>
    group.metrics.flatMap((metric, at) =>
      metric.isGated === isGated ? metricLines(metric, { group, id: chartId(id, metric, at) }) : [],
    );
  const quiet = quietText(group);
  return [
    {
      id,
      title: seriesText(group, trend),
      lead: placeText(group),
      blocks: [
        ...proseBlock([...(quiet === null ? [] : [quiet]), ...nightTexts(group, '')]),
        ...eventTable(group),
        ...summaryTable(group),
        ...linesOf(true),
      ],
    },
    {
      id: `${id}-informational`,
      title: `${name}: informational metrics`,
      lead: 'These never fail a comparison.',
      blocks: linesOf(false),
    },
    { id: `${id}-nights`, title: `${name}: sittings`, lead: '', blocks: nightTable(group) },
  ];
}

/** Names may hold anything: the number keeps ids apart. */
const chartId = (id: string, { name }: PublishedMetric, at: number): string =>
  `${id}-${String(at + 1)}-${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)}`;

const summaryTable = (group: TrendGroup): TableBlock[] =>
  tableBlock({
    title: 'Metrics',
    columns: ['metric', '>last', '>change'],
    rows: trendRows(group).map(({ name, last, change, direction }) => ({
      cells: [name, last, change],
      state: direction === null ? 'plain' : direction === 'worse' ? 'bad' : 'good',
    })),
  });
