import { retryCells } from '../../../run/retry-table.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn } from '../shown/shown-run.ts';

export const retries: SectionView = {
  id: 'retries',
  title: 'Retries and backoff',
  lead: 'What was retried and why, what it gained, and the time that turns lost to waiting; a column for each policy.',
  view: (runs) =>
    runs.flatMap((run) => tableBlock({ title: titleIn(run, 'Retries'), first: 'figure' }, retryCells(run.result))),
};
