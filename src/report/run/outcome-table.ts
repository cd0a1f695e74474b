import type { Result } from '../../result/result.ts';
import {
  attemptClassNames,
  traitsOf,
  turnClassNames,
  type AttemptClass,
  type TurnClass,
} from '../../protocol/outcome.ts';
import { formatCount, formatShare } from '../words/format.ts';
import { fittingTable, type Cells } from '../words/fitting-table.ts';
import { oneLine } from '../words/one-line.ts';
import { renderTable, type Style } from '../words/table.ts';

export function outcomeTable(result: Result, style: Style): string {
  const { columns, rows } = outcomeCells(result);
  if (rows.length === 0) return '';
  const painted = rows.map(([name = '', ...rest]) => [paint(name, style), ...rest]);
  return fittingTable(columns, painted, style).text;
}

/** Outcomes by class and group; classes that did not occur are left out, and all rows where all was ok. */
export function outcomeCells(result: Pick<Result, 'outcomes'>): Cells {
  const { attempts, turns, createAttempts } = result.outcomes;
  const total = sum(Object.values(attempts));
  const seen = turnClassNames.filter((name) => countOf(attempts, name) + turns[name] > 0);
  const rows = seen.map((name) => [
    name,
    groupOf(name),
    isAttemptClass(name) ? formatCount(attempts[name]) : '',
    isAttemptClass(name) && total > 0 ? formatShare(attempts[name] / total) : '',
    formatCount(turns[name]),
  ]);
  const creates = attemptClassNames.filter((name) => name !== 'ok' && createAttempts[name] > 0);
  const createRows = creates.map((name) => [
    name,
    'create',
    formatCount(createAttempts[name]),
    formatShare(createAttempts[name] / sum(Object.values(createAttempts))),
    '',
  ]);
  const isAllWell = createRows.length === 0 && seen.every((name) => name === 'ok');
  const columns = [
    { head: 'OUTCOME' },
    { head: 'group', goes: 1 },
    { head: 'attempts', align: 'right' as const },
    { head: 'share', align: 'right' as const, goes: 2 },
    { head: 'turns', align: 'right' as const },
  ];
  return { columns, rows: isAllWell ? [] : [...rows, ...createRows] };
}

const isAttemptClass = (name: TurnClass): name is AttemptClass => attemptClassNames.includes(name as AttemptClass);

const countOf = (counts: Readonly<Partial<Record<TurnClass, number>>>, name: TurnClass): number => counts[name] ?? 0;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const paint = (name: string, { colors }: Style): string => (name === 'ok' ? colors.green(name) : colors.yellow(name));

function groupOf(name: TurnClass): string {
  if (name === 'aborted') return 'cut';
  return isAttemptClass(name) ? traitsOf(name).group : 'not sent';
}

/** One example of every class that is not ok; '' where there is none, or one alone, which the first screen shows. */
export function exampleTable({ examples }: Result, style: Style): string {
  const firsts = attemptClassNames.flatMap((name) => examples.find((example) => example.outcome === name) ?? []);
  if (firsts.length < 2 && firsts.every(({ texts }) => texts === null)) return '';
  const rows = firsts.map((example) => [example.outcome, placeOf(example), whatHappened(example)]);
  return renderTable([{ head: 'EXAMPLE' }, { head: 'of' }, { head: 'what happened' }], rows, style);
}

/** An example in a line: `timed_out, session 5, turn 3: no complete response within 30 s`. */
export function exampleWords(example: Result['examples'][number]): string {
  const trace = example.traceId === null ? '' : ` (trace ${oneLine(example.traceId)})`;
  return `${example.outcome}, ${placeOf(example)}: ${oneLine(example.detail)}${trace}`;
}

function whatHappened({ detail, texts, traceId }: Result['examples'][number]): string {
  const trace = traceId === null ? [] : [`trace id: ${oneLine(traceId)}`];
  const said = texts === null ? [] : [`said: ${oneLine(texts.message)}`, `reply: ${oneLine(texts.reply)}`];
  return [oneLine(detail), ...trace, ...said].join('\n');
}

/** `session 5, turn 3`. */
export function placeOf({ operation, session, turn }: Result['examples'][number]): string {
  return `session ${String(session)}, ${operation === 'create' ? 'create' : `turn ${String(turn)}`}`;
}
