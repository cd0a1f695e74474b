import type { Comparison } from '../../../compare/document/comparison.ts';
import { confirmationTexts } from '../../comparison/comparison-words.ts';
import { formatCount } from '../../words/format.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section } from '../page.ts';
import { proseBlock } from '../prose-block.ts';
import { tableBlock } from '../table-block.ts';

/** Attempts that were not ok, by class; what only the head has is news. */
export function errorSection({ localization: where }: Comparison): Section {
  const errors = where?.errors ?? [];
  return {
    id: 'errors',
    title: 'Errors',
    lead: 'Attempts that were not ok, by class: all runs of a side together.',
    blocks: tableBlock({
      title: 'Errors by class',
      columns: ['class', '>base', '>head', ''],
      rows: errors.map(({ class: name, base, head, isNew }) => ({
        cells: [clean(name), formatCount(base), formatCount(head), isNew ? 'new' : ''],
        state: isNew ? 'bad' : 'plain',
      })),
    }),
  };
}

/** What a second set of runs said of each alarm. */
export function confirmationSection(comparison: Comparison): Section {
  return {
    id: 'confirmation',
    title: 'Confirmation',
    lead: '',
    blocks: proseBlock(confirmationTexts(comparison)),
  };
}
