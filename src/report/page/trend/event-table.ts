import type { EventChange, TrendEvent, TrendGroup } from '../../../compare/trend/trend.ts';
import { nightName } from '../../trend/series-words.ts';
import { commitsText } from '../../trend/trend-words.ts';
import { formatCount } from '../../words/format.ts';
import { formatChange, formatFigure, formatP, formatRange } from '../../words/format-change.ts';
import { clean } from '../../words/paragraph.ts';
import type { TableBlock, TableRow } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** The changes of a series, the newest first: it matters most. */
export function eventTable(group: TrendGroup): TableBlock[] {
  const rows = group.events
    .toReversed()
    .flatMap((event) => event.metrics.map((change) => changeRow(change, event, group)));
  return tableBlock({ title: 'Changes', columns, rows });
}

const columns = [
  'date',
  'metric',
  '',
  '>change',
  '>95 % interval',
  '>before',
  '>after',
  '>p',
  'first in',
  'commits',
  '>sittings since',
];

function changeRow(change: EventChange, event: TrendEvent, group: TrendGroup): TableRow {
  const { name, direction, ci95, before, after, p } = change;
  const unit = group.metrics.find((metric) => metric.name === name)?.unit ?? 'ms';
  const cells = [
    nightName(group, event.night),
    clean(name),
    direction,
    formatChange(change.change, unit),
    formatRange(ci95, unit),
    formatFigure(before, unit),
    formatFigure(after, unit),
    formatP(p),
    clean(event.file),
    commitsText(event.commits),
    formatCount(event.nightsSince),
  ];
  return { cells, state: direction === 'worse' ? 'bad' : 'good' };
}
