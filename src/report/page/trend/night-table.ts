import type { TrendGroup } from '../../../compare/trend/trend.ts';
import { formatCount } from '../../words/format.ts';
import { clean } from '../../words/paragraph.ts';
import type { TableBlock } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** The sittings of a series, the newest first. */
export function nightTable({ nights }: TrendGroup): TableBlock[] {
  return tableBlock({
    title: 'Sittings',
    columns: ['date', '>runs', 'commit', 'sitting', 'first result'],
    rows: nights.toReversed().map(({ date, runs, commit, sitting, file }) => ({
      cells: [clean(date), formatCount(runs), ...[commit ?? '-', sitting ?? '-', file].map(clean)],
      state: 'plain',
    })),
  });
}
