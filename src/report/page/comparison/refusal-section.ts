import type { Comparison, Difference } from '../../../compare/document/comparison.ts';
import { refusalRemedy } from '../../comparison/comparison-words.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section, TableRow } from '../page.ts';
import { proseBlock } from '../prose-block.ts';
import { tableBlock } from '../table-block.ts';

/** In what the sides differ, in full: what refuses the comparison, then what may explain a change. */
export function refusalSection({ comparability: { refusals, warnings, forced } }: Comparison): Section {
  const isRefused = refusals.length > 0 && !forced;
  return {
    id: 'differences',
    title: isRefused ? 'Why it is refused' : 'In what the sides differ',
    lead: refusals.length > 0 && forced ? 'It was compared anyway (--force).' : '',
    blocks: [
      ...tableBlock({
        title: 'Differences between the sides',
        columns: ['what', 'base', 'head', 'what that means'],
        rows: [...refusals.map(rowOf('bad')), ...warnings.map(rowOf('doubtful'))],
      }),
      ...proseBlock(isRefused ? [refusalRemedy] : []),
    ],
  };
}

const rowOf =
  (state: TableRow['state']) =>
  ({ key, base, head, message }: Difference): TableRow => ({ cells: [key, base, head, message].map(clean), state });
