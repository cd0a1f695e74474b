import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn } from '../shown/shown-run.ts';

export const warnings: SectionView = {
  id: 'warnings',
  title: 'Warnings',
  lead: 'What else to know before using these figures.',
  view: (runs) =>
    runs.flatMap((run) =>
      tableBlock(
        { title: titleIn(run, 'Warnings'), first: 'what was seen' },
        {
          columns: [{ head: 'what was seen' }, { head: 'what to do' }],
          rows: run.result.warnings.map(({ message, remedy }) => [message, remedy ?? '']),
        },
        () => 'doubtful',
      ),
    ),
};
