import { shardText, workerCells } from '../../../run/worker-table.ts';
import { proseBlock } from '../../prose-block.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn } from '../shown/shown-run.ts';

export const workers: SectionView = {
  id: 'workers',
  title: 'Workers',
  lead: 'Who played the shards of the run: the lost and the busiest first. Late: after the instant appointed. CPU: of one core.',
  view: (runs) =>
    runs.flatMap((run) => {
      const { environment } = run.result;
      const played = environment?.workers ?? [];
      const wasLost = new Set(played.flatMap(({ shard, lost }) => (lost === null ? [] : [`shard ${String(shard)}`])));
      return [
        ...proseBlock([shardText(environment)].filter((text) => text !== '').map((text) => titleIn(run, text))),
        ...tableBlock({ title: titleIn(run, 'Shards'), first: 'worker' }, workerCells(played), ([shard = '']) =>
          wasLost.has(shard) ? 'bad' : 'plain',
        ),
      ];
    }),
};
