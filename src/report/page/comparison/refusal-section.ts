import type { Comparison, Difference, Refusal } from '../../../compare/document/comparison.ts';
import { refusalWayText } from '../../comparison/comparison-words.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section, TableRow } from '../page.ts';
import { proseBlock } from '../prose-block.ts';
import { tableBlock } from '../table-block.ts';

type Judged = Pick<Comparison, 'comparability'>;

/** Nothing was compared then. */
export function isRefused({ comparability: { refusals, forced } }: Judged): boolean {
  return refusals.length > 0 && !forced;
}

/** In what the sides differ, in full: what refuses the comparison, then what may explain a change. */
export function refusalSection(comparison: Judged): Section {
  const { comparability } = comparison;
  const { refusals, warnings, forced } = comparability;
  return {
    id: 'differences',
    title: isRefused(comparison) ? 'Why it is refused' : 'In what the sides differ',
    lead: refusals.length > 0 && forced ? 'It was compared anyway (--force).' : '',
    blocks: [
      ...tableBlock({
        title: 'Differences between the sides',
        columns: ['what', 'base', 'head', 'what that means', 'what to do'],
        rows: [...refusals.map(rowOf('bad')), ...warnings.map(rowOf('doubtful'))],
      }),
      ...proseBlock(isRefused(comparison) ? [refusalWayText(comparability, '--force')] : []),
    ],
  };
}

const rowOf =
  (state: TableRow['state']) =>
  ({ key, base, head, message, ...other }: Difference | Refusal): TableRow => ({
    cells: [key, base, head, message, 'remedy' in other ? (other.remedy ?? '') : ''].map(clean),
    state,
  });
