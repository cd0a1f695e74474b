import { outcomeCells } from '../../../run/outcome-table.ts';
import { retryCells } from '../../../run/retry-table.ts';
import { actualText, conditionText, orderGates } from '../../../run/verdict-lines.ts';
import { shardText, workerCells } from '../../../run/worker-table.ts';
import type { Block } from '../../page.ts';
import { proseBlock } from '../../prose-block.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn, type ShownRun } from '../shown/shown-run.ts';

const verdicts = {
  pass: { word: 'pass', state: 'good' },
  fail: { word: 'FAIL', state: 'bad' },
  'no-data': { word: 'NO DATA', state: 'doubtful' },
} as const;

export const gates: SectionView = {
  id: 'gates',
  title: 'Gates',
  lead: 'The conditions of the scenario. One without data counts as failed.',
  view: (runs) =>
    runs.flatMap((run) =>
      tableBlock(
        { title: titleIn(run, 'Gates'), first: 'gate' },
        {
          columns: ['gate', 'metric', 'condition', 'was'].map((head) => ({ head })),
          rows: orderGates(run.result.gates).map((gate) => [
            verdicts[gate.verdict].word,
            gate.metric,
            conditionText(gate),
            actualText(gate),
          ]),
        },
        ([shown]) => Object.values(verdicts).find(({ word }) => word === shown)?.state ?? 'plain',
      ),
    ),
};

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

export const retries: SectionView = {
  id: 'retries',
  title: 'Retries and backoff',
  lead: 'What was retried and why, what it gained, and the time that turns lost to waiting; a column for each policy.',
  view: (runs) =>
    runs.flatMap((run) => tableBlock({ title: titleIn(run, 'Retries'), first: 'figure' }, retryCells(run.result))),
};

export const workers: SectionView = {
  id: 'workers',
  title: 'Workers',
  lead: 'Who played the shards of the run: the lost and the busiest first. Late: after the instant appointed. CPU: of one core.',
  view: (runs) => runs.flatMap(shardBlocks),
};

function shardBlocks(run: ShownRun): readonly Block[] {
  const { environment } = run.result;
  const played = environment?.workers ?? [];
  if (played.length === 0) return [];
  const lost = new Set(played.flatMap((worker) => (worker.lost === null ? [] : [shardName(String(worker.shard))])));
  const { columns, rows } = workerCells(played);
  const cells = rows.map(([shard = '', ...others]) => [shardName(shard.replace('shard ', '')), ...others]);
  return [
    ...proseBlock([titleIn(run, `Shards: ${shardText(environment)}`)]),
    ...tableBlock({ title: titleIn(run, 'Shards'), first: 'worker' }, { columns, rows: cells }, ([shard = '']) =>
      lost.has(shard) ? 'bad' : 'plain',
    ),
  ];
}

/** In one line, however narrow the page. */
const shardName = (shard: string): string => `shard\u00a0${shard}`;

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
