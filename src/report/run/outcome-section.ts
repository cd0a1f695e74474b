import {
  attemptClassNames,
  traitsOf,
  turnClassNames,
  type AttemptClass,
  type TurnClass,
} from '../../protocol/outcome.ts';
import type { Result } from '../../result/result.ts';
import type { PublishedExample } from '../../result/sections/example.ts';
import { groupBy } from '../../base/group-by.ts';
import { heads, type OutlineRow, type OutlineTable } from '../outline/outline.ts';
import { formatCount, formatMs, formatShare } from '../../base/format.ts';
import { oneLine } from '../words/width.ts';
import { titleIn, type RunSection, type ShownRun } from './shown-run.ts';

/** Outcomes by class and group; classes that did not occur are left out, and all rows where all was ok. */
export const outcomeSection: RunSection = (runs) => ({
  on: ['terminal', 'page'],
  page: { id: 'outcomes', title: 'Outcomes', lead: 'Every attempt and turn is in exactly one class.' },
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
  page: {
    id: 'examples',
    title: 'Examples of failures',
    lead: 'A sample of failed attempts (up to ten per class); equal ones share a row.',
  },
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

/** Maximum number of rows; our results have at most ten examples per class, others may have any number. */
const max = 500;

/** Builds the table of a page: one row for equal examples, with their number and sessions. */
function allExamples(run: ShownRun): OutlineTable {
  const all = run.result.examples;
  const has = { trace: all.some(({ traceId }) => traceId !== null), texts: all.some(({ texts }) => texts !== null) };
  const groups = [...groupBy(all, sameKey).values()];
  const title = groups.length > max ? `${formatCount(max)} of ${formatCount(groups.length)} examples` : 'Examples';
  return {
    type: 'table',
    on: ['page'],
    title: titleIn(run, title),
    columns: heads(
      ...['outcome', '>count', 'sessions', 'operation', '>status', '>first at', 'HTTP', 'error'],
      ...(has.trace ? ['trace ids'] : []),
      ...(has.texts ? ['message', 'reply'] : []),
    ),
    rows: groups.slice(0, max).map((group) => {
      const [first] = group;
      return {
        cells: [
          first.outcome,
          formatCount(group.length),
          listText(
            group
              .map(({ session }) => session)
              .toSorted((a, b) => a - b)
              .map(String),
          ),
          operationText(group),
          first.status === 0 ? '-' : String(first.status),
          formatMs(group.reduce((min, { atMs }) => Math.min(min, atMs), Infinity)),
          first.protocol,
          first.detail,
          ...(has.trace ? [listText(group.flatMap(({ traceId }) => traceId ?? []))] : []),
          ...(has.texts ? [first.texts?.message ?? '', first.texts?.reply ?? ''] : []),
        ],
      };
    }),
  };
}

const sameKey = ({ outcome, operation, status, protocol, detail, texts }: PublishedExample): string =>
  JSON.stringify([outcome, operation, status, protocol, detail, texts]);

/** Returns the first of these texts, each once, and the number of the others. */
function listText(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  const rest = distinct.length - maxListed;
  return `${distinct.slice(0, maxListed).join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`;
}
const maxListed = 10;

function operationText(group: readonly PublishedExample[]): string {
  if (group[0]?.operation === 'create') return 'create';
  const turns = [...new Set(group.map(({ turn }) => turn))].toSorted((a, b) => a - b);
  return `${turns.length === 1 ? 'turn' : 'turns'} ${listText(turns.map(String))}`;
}
