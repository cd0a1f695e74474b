import type { Comparison } from '../../../compare/document/comparison.ts';
import { sideNames, type SideName } from '../../../compare/document/side.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section, TableRow } from '../page.ts';
import { tableBlock } from '../table-block.ts';
import { runName } from './run-name.ts';

type ComparedRun = Comparison['base']['runs'][number];

/** Which runs were compared, and whether each can be trusted. */
export function runSection(comparison: Comparison): Section {
  const rows = sideNames.flatMap((side) =>
    comparison[side].runs.map((run, index) => rowOf({ side, run, index }, comparison)),
  );
  return {
    id: 'runs',
    title: 'Who was compared',
    lead: '',
    blocks: tableBlock({ title: 'Runs', columns, rows }),
  };
}

const columns = [
  'run',
  'label',
  'started (UTC)',
  '>seed',
  'sitting',
  'pair',
  'validity',
  'target',
  'file',
  'id',
  'note',
];

function rowOf(
  { side, run, index }: { side: SideName; run: ComparedRun; index: number },
  { broken }: Comparison,
): TableRow {
  const { id, file, label, startedAt, seed, sitting, pair, validity, target } = run;
  // A run may be on both sides: only the head is broken by its service.
  const harm = side === 'head' ? broken.find((each) => each.id === id && each.file === file) : undefined;
  const reason = harm === undefined ? '' : `the service broke it: ${harm.reason}`;
  const cells = [
    runName(side, index),
    label ?? '-',
    startedAt,
    String(seed),
    sitting ?? '-',
    pair ?? '-',
    validity,
    target ?? 'embedded reference service',
    file ?? '-',
    id,
    reason,
  ];
  return { cells: cells.map(clean), state: harm === undefined ? states[validity] : 'bad' };
}

const states = { valid: 'plain', degraded: 'doubtful', invalid: 'bad' } as const;
