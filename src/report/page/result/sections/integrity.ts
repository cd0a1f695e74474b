import type { PublishedViolation } from '../../../../result/sections/integrity.ts';
import { integrityCells, notMade } from '../../../run/integrity-table.ts';
import { formatCount, formatMs } from '../../../words/format.ts';
import type { Block } from '../../page.ts';
import { proseBlock } from '../../prose-block.ts';
import { tableBlock } from '../shown/blocks.ts';
import { integrityWords } from '../shown/integrity-words.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn, type ShownRun } from '../shown/shown-run.ts';

export const integrity: SectionView = {
  id: 'integrity',
  title: 'Integrity of conversations',
  lead: 'Whether replies fit their conversations, by the integrity guard.',
  view: (runs) => runs.filter(({ result }) => result.integrity.enabled).flatMap(ofRun),
};

function ofRun(run: ShownRun): readonly Block[] {
  const { integrity: section } = run.result;
  return [
    ...proseBlock([
      titleIn(
        run,
        integrityWords(run.result)
          .filter((words) => words !== '')
          .join(': '),
      ),
      ...notMade(section),
    ]),
    ...tableBlock(
      { title: titleIn(run, 'Checks'), first: 'check' },
      integrityCells(run.result),
      ([, , failed = '0']) => (failed === '0' || failed === '' ? 'plain' : 'bad'),
    ),
    ...tableBlock(
      { title: titleIn(run, 'Replies that broke a check'), first: 'check' },
      { columns, rows: section.examples.map(violationRow) },
    ),
  ];
}

const right = 'right' as const;
const columns = [
  { head: 'check' },
  { head: 'of' },
  { head: 'after', align: right },
  { head: 'what was wrong' },
  { head: 'turns since the code', align: right },
  { head: 'retries since', align: right },
  { head: 'longest idle time', align: right },
];

function violationRow({
  check,
  session,
  turn,
  detail,
  turnsBetween,
  retriesBetween,
  idleMs,
  atMs,
}: PublishedViolation): string[] {
  const numbers = [turnsBetween, retriesBetween].map((count) => (count === null ? '-' : formatCount(count)));
  const of = `session ${formatCount(session)}, turn ${String(turn)}`;
  return [check, of, formatMs(atMs), detail, ...numbers, formatMs(idleMs)];
}
