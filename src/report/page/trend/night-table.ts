import type { TrendGroup } from '../../../compare/trend/trend.ts';
import { nightName } from '../../trend/series-words.ts';
import { isDegraded } from '../../trend/trend-words.ts';
import { formatCount } from '../../words/format.ts';
import { clean } from '../../words/paragraph.ts';
import type { TableBlock, TableRow } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** The sittings of a series, the newest first. */
export function nightTable(group: TrendGroup): TableBlock[] {
  return tableBlock({
    title: 'Sittings',
    columns: ['date', '>runs', '>degraded', 'commit', 'sitting', 'first result'],
    rows: group.nights.map((night, at) => rowOf(night, nightName(group, at))).toReversed(),
  });
}

function rowOf(night: TrendGroup['nights'][number], name: string): TableRow {
  const { runs, degraded, commit, sitting, file } = night;
  const counts = [formatCount(runs), degraded === null ? '-' : formatCount(degraded)];
  const cells = [name, ...counts, ...[commit ?? '-', sitting ?? '-', file].map(clean)];
  return { cells, state: isDegraded(night) ? 'doubtful' : 'plain' };
}
