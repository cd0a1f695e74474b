import { measuredLedger, type Books, type Ledger } from '../../../../result/books/books.ts';
import { countOf, formatCount } from '../../../words/format.ts';
import type { Block } from '../../page.ts';
import { proseBlock } from '../../prose-block.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn, type ShownRun } from '../shown/shown-run.ts';

export const books: SectionView = {
  id: 'books',
  title: 'Books',
  lead: 'What became of every session, turn and attempt. The warm-up is in no published figure; charts show it as such.',
  view: (runs) => runs.flatMap(ofRun),
};

function ofRun(run: ShownRun): readonly Block[] {
  const { books: section } = run.result;
  return [
    ...proseBlock([titleIn(run, balanceText(section))]),
    ...tableBlock(
      { title: titleIn(run, 'Ledger'), first: 'what' },
      { columns, rows: accounts.flatMap((name) => rowsOf(name, section)) },
    ),
    ...tableBlock(
      { title: titleIn(run, 'Equations that do not hold'), first: 'of' },
      {
        columns: broken,
        rows: section.broken.map(({ scope, name, left, right: other }) => [
          scope,
          name,
          formatCount(left),
          formatCount(other),
        ]),
      },
      () => 'bad',
    ),
  ];
}

function balanceText({ balanced, checked, broken: those }: Books): string {
  if (balanced === null) return 'The run never ended: its books cannot balance.';
  if (balanced) return `The books balance: ${countOf(checked, 'equation')} hold.`;
  return `The books do not balance: ${formatCount(those.length)} of ${countOf(checked, 'equation')} do not hold. This is a bug in chat-load, please report it with the result file.`;
}

const right = 'right' as const;
const columns = [
  { head: 'what' },
  { head: 'whole run', align: right },
  { head: 'warm-up', align: right },
  { head: 'measured', align: right },
];
const broken = [
  { head: 'of' },
  { head: 'equation' },
  { head: 'left side', align: right },
  { head: 'right side', align: right },
];

const accounts = [
  'sessions',
  'turns',
  'attempts',
  'createAttempts',
  'integrity',
] as const satisfies readonly (keyof Ledger)[];
const names = {
  sessions: 'sessions',
  turns: 'turns',
  attempts: 'attempts of turns',
  createAttempts: 'attempts to create a session',
  integrity: 'integrity guard',
} as const satisfies Record<(typeof accounts)[number], string>;

/** What was measured of sessions and turns is as the terminal has it; of the others what the warm-up did not do. */
function rowsOf(account: (typeof accounts)[number], section: Books): string[][] {
  const measured: Partial<Record<string, Readonly<Record<string, number>>>> = measuredLedger(section);
  const warmUp: Readonly<Record<string, number>> = section.warmUp[account];
  return Object.entries<number>(section[account]).map(([name, count]) => {
    const part = warmUp[name] ?? 0;
    const rest = measured[account]?.[name] ?? count - part;
    return [`${names[account]}: ${name.replaceAll('_', ' ')}`, ...[count, part, rest].map(formatCount)];
  });
}
