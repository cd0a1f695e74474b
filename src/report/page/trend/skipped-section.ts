import type { Trend } from '../../../compare/trend/trend.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** Every file that is of no use, and why. */
export function skippedSection({ skipped }: Trend): Section {
  return {
    id: 'skipped',
    title: 'Files left out',
    lead: '',
    blocks: tableBlock({
      title: 'Files that cannot be used',
      columns: ['file', 'why'],
      rows: skipped.map(({ file, problem }) => ({ cells: [file, problem].map(clean), state: 'doubtful' })),
    }),
  };
}
