import type { Comparison, MetricComparison } from '../../../compare/document/comparison.ts';
import { informational, moversOf, rowOf } from '../../comparison/comparison-rows.ts';
import { informationalLegend } from '../../comparison/comparison-tables.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section, TableRow } from '../page.ts';
import { tableBlock } from '../table-block.ts';
import { changeRanges } from './change-ranges.ts';

/** All other metrics: those that moved beyond noise are drawn, the largest change first. */
export function informationalSection(comparison: Comparison): Section {
  const moved = moversOf(comparison);
  const others = informational(comparison.metrics).filter((metric) => !moved.includes(metric));
  const changes = moved.map((metric) => {
    const { direction } = rowOf(metric);
    return { metric, tone: direction === 'worse' ? ('failed' as const) : ('ok' as const), note: direction };
  });
  return {
    id: 'informational',
    title: 'Other metrics',
    lead: informationalLegend,
    blocks: [
      ...changeRanges({ id: 'informational', of: 'informational metrics that moved', changes }),
      ...tableBlock({
        title: 'Informational metrics',
        columns: ['moved', 'metric', '>base', '>head', '>change', '>95 % interval', '>margin', '>p', 'note'],
        rows: [
          ...moved.map((each) => informationalRow(each, true)),
          ...others.map((each) => informationalRow(each, false)),
        ],
      }),
    ],
  };
}

/** Only a move beyond noise is news. */
function informationalRow(metric: MetricComparison, hasMoved: boolean): TableRow {
  const { name, base, head, change, range, margin, p, direction } = rowOf(metric);
  const cells = [hasMoved ? direction : '', name, base, head, change, range, margin, p, clean(metric.reason ?? '')];
  return { cells, state: !hasMoved ? 'plain' : direction === 'worse' ? 'bad' : 'good' };
}
