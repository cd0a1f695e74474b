import {
  attemptClassNames,
  traitsOf,
  turnClassNames,
  type AttemptClass,
  type TurnClass,
} from '../../protocol/outcome.ts';
import type { Result } from '../../result/result.ts';
import type { PublishedExample } from '../../result/sections/example.ts';
import { heads, type OutlineRow, type OutlineTable } from '../outline/outline.ts';
import { countOf, formatCount, formatMs, formatShare } from '../../base/format.ts';
import { oneLine } from '../words/width.ts';
import { titleIn, type RunSection, type ShownRun } from './shown-run.ts';

/** Outcomes by class and group; classes that did not occur are left out, and all rows where all was ok. */
export const outcomeSection: RunSection = (runs) => ({
  on: ['terminal', 'page'],
  page: { id: 'outcomes', title: 'Outcomes', lead: 'Attempts and turns by class; each is of exactly one.' },
  blocks: runs.map((run) => ({
    type: 'table',
    title: titleIn(run, 'Outcomes by class'),
    columns: heads('outcome', 'group/1', '>attempts', '>share/2', '>turns'),
    rows: outcomeRows(run.result.outcomes),
  })),
});

function outcomeRows({ attempts, turns, createAttempts }: Result['outcomes']): OutlineRow[] {
  const total = sum(Object.values(attempts));
  const creations = sum(Object.values(createAttempts));
  const seen = turnClassNames.filter((name) => turns[name] + (isAttemptClass(name) ? attempts[name] : 0) > 0);
  const creates = attemptClassNames.filter((name) => name !== 'ok' && createAttempts[name] > 0);
  if (creates.length === 0 && seen.every((name) => name === 'ok')) return [];
  return [
    ...seen.map((name) => [
      name,
      groupOf(name),
      isAttemptClass(name) ? formatCount(attempts[name]) : '',
      isAttemptClass(name) && total > 0 ? formatShare(attempts[name] / total) : '',
      formatCount(turns[name]),
    ]),
    ...creates.map((name) => {
      const count = createAttempts[name];
      return [name, 'create', formatCount(count), formatShare(count / creations), ''];
    }),
  ].map((cells) =>
    cells[0] === 'ok' ? { cells, state: 'good', paint: 'green' } : { cells, state: 'plain', paint: 'yellow' },
  );
}

const isAttemptClass = (name: TurnClass): name is AttemptClass => attemptClassNames.includes(name as AttemptClass);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function groupOf(name: TurnClass): string {
  if (name === 'aborted') return 'cut';
  return isAttemptClass(name) ? traitsOf(name).group : 'not sent';
}

/** One example of every class that is not ok, unless it is one alone, which the first screen shows; on a page all of them. */
export const exampleSection: RunSection = (runs) => ({
  on: ['terminal', 'page'],
  page: { id: 'examples', title: 'Examples of failures', lead: 'Some attempts that were not ok, as they came.' },
  blocks: runs.flatMap((run) => [firstExamples(run.result), allExamples(run)]),
});

function firstExamples({ examples }: Result): OutlineTable {
  const firsts = attemptClassNames.flatMap((name) => examples.find((example) => example.outcome === name) ?? []);
  const isKnown = firsts.length < 2 && firsts.every(({ texts }) => texts === null);
  return {
    type: 'table',
    on: ['terminal'],
    title: '',
    columns: heads('example', 'of', 'what happened'),
    rows: isKnown
      ? []
      : firsts.map((example) => ({ cells: [example.outcome, placeOf(example), whatHappened(example)] })),
  };
}

/** An example in a line: `timed_out, session 5, turn 3: no complete response within 30 s`. */
export function exampleWords(example: PublishedExample): string {
  const trace = example.traceId === null ? '' : ` (trace ${oneLine(example.traceId)})`;
  return `${example.outcome}, ${placeOf(example)}: ${oneLine(example.detail)}${trace}`;
}

function whatHappened({ detail, texts, traceId }: PublishedExample): string {
  const trace = traceId === null ? [] : [`trace id: ${oneLine(traceId)}`];
  const said = texts === null ? [] : [`said: ${oneLine(texts.message)}`, `reply: ${oneLine(texts.reply)}`];
  return [oneLine(detail), ...trace, ...said].join('\n');
}

/** `session 5, turn 3`. */
function placeOf({ operation, session, turn }: PublishedExample): string {
  return `session ${String(session)}, ${operation === 'create' ? 'create' : `turn ${String(turn)}`}`;
}

/** A result of ours has at most ten of each class; one from elsewhere may have any number. */
const max = 500;

function allExamples(run: ShownRun): OutlineTable {
  const all = run.result.examples;
  const isSeen = { trace: all.some(({ traceId }) => traceId !== null), said: all.some(({ texts }) => texts !== null) };
  const title = all.length > max ? `${formatCount(max)} of ${countOf(all.length, 'example')}` : 'Examples';
  return {
    type: 'table',
    on: ['page'],
    title: titleIn(run, title),
    columns: heads(
      ...['outcome', 'of', '>status', '>at', 'over', 'what was wrong'],
      ...(isSeen.trace ? ['trace id'] : []),
      ...(isSeen.said ? ['message', 'reply'] : []),
    ),
    rows: all.slice(0, max).map((example) => ({
      cells: [
        example.outcome,
        placeOf(example),
        example.status === 0 ? '-' : String(example.status),
        formatMs(example.atMs),
        example.protocol,
        example.detail,
        ...(isSeen.trace ? [example.traceId ?? ''] : []),
        ...(isSeen.said ? [example.texts?.message ?? '', example.texts?.reply ?? ''] : []),
      ],
    })),
  };
}
