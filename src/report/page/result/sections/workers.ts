import { shardText, workerCells } from '../../../run/worker-table.ts';
import type { Block } from '../../page.ts';
import { proseBlock } from '../../prose-block.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn, type ShownRun } from '../shown/shown-run.ts';

export const workers: SectionView = {
  id: 'workers',
  title: 'Workers',
  lead: 'Who played the shards of the run: the lost and the busiest first. Late: after the instant appointed. CPU: of one core.',
  view: (runs) => runs.flatMap(ofRun),
};

function ofRun(run: ShownRun): readonly Block[] {
  const { environment } = run.result;
  const played = environment?.workers ?? [];
  if (played.length === 0) return [];
  const lost = new Set(played.flatMap((worker) => (worker.lost === null ? [] : [nameOf(String(worker.shard))])));
  const { columns, rows } = workerCells(played);
  const cells = rows.map(([shard = '', ...others]) => [nameOf(shard.replace('shard ', '')), ...others]);
  return [
    ...proseBlock([titleIn(run, `Shards: ${shardText(environment)}`)]),
    ...tableBlock({ title: titleIn(run, 'Shards'), first: 'worker' }, { columns, rows: cells }, ([shard = '']) =>
      lost.has(shard) ? 'bad' : 'plain',
    ),
  ];
}

/** In one line, however narrow the page. */
const nameOf = (shard: string): string => `shard\u00a0${shard}`;
