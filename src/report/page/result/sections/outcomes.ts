import { outcomeCells } from '../../../run/outcome-table.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn } from '../shown/shown-run.ts';

export const outcomes: SectionView = {
  id: 'outcomes',
  title: 'Outcomes',
  lead: 'Attempts and turns by class; each is of exactly one.',
  view: (runs) =>
    runs.flatMap((run) =>
      tableBlock({ title: titleIn(run, 'Outcomes by class'), first: 'outcome' }, outcomeCells(run.result), ([name]) =>
        name === 'ok' ? 'good' : 'plain',
      ),
    ),
};
