import {
  attemptClassNames,
  traitsOf,
  turnClassNames,
  type AttemptClass,
  type TurnClass,
} from '../../protocol/outcome.ts';
import { finishes, type Finish } from '../../protocol/finish.ts';
import type { Result } from '../../result/result.ts';
import type { Example } from '../../record/examples.ts';
import { groupBy } from '../../base/group-by.ts';
import { heads, table, type OutlineRow, type OutlineTable } from '../outline/outline.ts';
import { countOf, formatCount, formatMs, formatShare, listFirst } from '../../base/format.ts';
import { linkTraces, traceTemplate, traceText } from '../words/trace-link.ts';
import { oneLine } from '../words/width.ts';
import { perRun } from './shown-run.ts';

/** Outcomes by class and group; omits classes that did not occur, and the whole table if everything was ok. */
export const outcomeSection = perRun(
  {
    on: ['terminal', 'page'],
    page: { id: 'outcomes', title: 'Outcomes', lead: 'Every attempt and turn is in exactly one class.' },
  },
  ({ result }) => [
    table(
      'Outcomes by class',
      heads('outcome', 'group/1', '>attempts', '>share/2', '>turns'),
      outcomeRows(result.outcomes),
    ),
    table('Ok replies', heads('ok replies', '>turns', '>share/1'), endRows(result.outcomes)),
    table('Notes', heads('note', '>replies', 'first/1'), noteRows(result.outcomes)),
  ],
);

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
    cells[0] === 'ok'
      ? { cells, state: 'good', paint: 'green' }
      : { cells, state: stateOf(cells[0] ?? '', cells[4] ?? ''), paint: 'yellow' },
  );
}

/** Ends of ok replies; none if all are whole. */
function endRows({ finish, empty, turns }: Result['outcomes']): OutlineRow[] {
  if (finish.length + finish.filtered + finish.other + empty === 0) return [];
  const rows: readonly (readonly [string, number, 'good' | 'doubtful' | 'plain'])[] = [
    ...finishes.map(
      (name) => [endTexts[name], finish[name], incomplete.includes(name) ? 'doubtful' : 'plain'] as const,
    ),
    ['empty: neither text nor a tool call', empty, 'doubtful'],
  ];
  return rows
    .filter(([, count]) => count > 0)
    .map(([text, count, state]) => ({
      cells: [text, formatCount(count), formatShare(count / turns.ok)],
      state,
      ...(state === 'doubtful' && { paint: 'yellow' as const }),
    }));
}

const incomplete: readonly Finish[] = ['length', 'filtered'];
const endTexts: Readonly<Record<Finish, string>> = {
  complete: 'complete',
  length: 'cut off at a limit of tokens',
  filtered: 'filtered or refused',
  tool: 'tool call',
  other: 'another end',
  none: 'no end stated',
};

/** Deviations that no client notices. */
function noteRows({ notes }: Result['outcomes']): OutlineRow[] {
  return notes.map(({ meaning, count, example }) => {
    const first = example === null ? '' : `session ${String(example.session)}, turn ${String(example.turn)}`;
    return { cells: [meaning, formatCount(count), first] };
  });
}

/** Rates a class that is not ok: bad if turns ended with it, doubtful if retries succeeded; users who left are neither. */
function stateOf(name: string, turns: string): 'bad' | 'doubtful' | 'plain' {
  if (name === 'abandoned' || name === 'aborted') return 'plain';
  return ['', '0'].includes(turns) ? 'doubtful' : 'bad';
}

const isAttemptClass = (name: TurnClass): name is AttemptClass => attemptClassNames.includes(name as AttemptClass);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function groupOf(name: TurnClass): string {
  if (name === 'aborted') return 'cut';
  return isAttemptClass(name) ? traitsOf(name).group : 'not sent';
}

/** Examples of failed attempts, equal ones as one row. A terminal omits a single example, which its first screen shows. */
export const exampleSection = perRun(
  {
    on: ['terminal', 'page'],
    page: {
      id: 'examples',
      title: 'Examples of failures',
      lead: 'A sample of failed attempts (up to ten per class); equal ones share a row.',
    },
  },
  ({ result }) => [firstExamples(result), allExamples(result)],
);

function firstExamples(result: Result): OutlineTable {
  const { examples } = result;
  const template = traceTemplate(result);
  const groups = groupExamples(examples);
  const firsts = attemptClassNames.flatMap((name) => groups.filter(([{ outcome }]) => outcome === name).slice(0, 1));
  const isKnown = firsts.length < 2 && firsts.every(([{ texts }]) => texts === null);
  const max = (width: number): number => Math.max(12, Math.floor(width / 4));
  const rows = firsts.map((group) => [
    group[0].outcome,
    formatCount(group.length),
    placesOf(group),
    whatHappened(group[0]),
  ]);
  const columns = [...heads('example', '>sampled/1'), { head: 'where', max }, ...heads('what happened')];
  return table('', columns, isKnown ? [] : rows, {
    on: ['terminal'],
    ...(template !== undefined && { legend: { text: `traces: ${oneLine(template)}` } }),
  });
}

type ExampleGroup = readonly [Example, ...Example[]];

/** Groups examples that differ only in session, turn, time and trace. */
function groupExamples(examples: readonly Example[]): ExampleGroup[] {
  const kindOf = ({ outcome, operation, status, protocol, detail, texts }: Example): string =>
    JSON.stringify([outcome, operation, status, protocol, detail, texts]);
  return [...groupBy(examples, kindOf).values()];
}

const maxPlaces = 3;
/** Number of equal examples listed in a row of a page: as many as chat-load keeps per class. */
const maxListed = 10;

/** Lists where equal examples occurred: `session 5, turn 3`; `sessions 5, 7, 9 and 4 more`. */
function placesOf(group: ExampleGroup): string {
  const sessions = [...new Set(group.map(({ session }) => session))];
  if (sessions.length === 1) return placeOf(group[0]);
  const more = sessions.length - maxPlaces;
  return `sessions ${sessions.slice(0, maxPlaces).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

/** Formats an example as a line: `timed_out, session 5, turn 3: no complete response within 30 s`. */
export function formatExample(example: Example, template?: string): string {
  const { traceId } = example;
  const trace = traceId === null ? '' : ` (trace ${oneLine(traceText(traceId, template))})`;
  return `${example.outcome}, ${placeOf(example)}: ${oneLine(example.detail)}${trace}`;
}

function whatHappened({ detail, texts, traceId }: Example): string {
  const trace = traceId === null ? [] : [`trace id: ${oneLine(traceId)}`];
  const kept = texts === null ? [] : [`message: ${oneLine(texts.message)}`, `reply: ${oneLine(texts.reply)}`];
  return [oneLine(detail), ...trace, ...kept].join('\n');
}

/** Formats the position of an example: `session 5, turn 3`. */
function placeOf({ operation, session, turn }: Example): string {
  return `session ${String(session)}, ${operation === 'create' ? 'create' : `turn ${String(turn)}`}`;
}

/** Rows of the table; chat-load keeps at most ten examples per class, but other producers may write more. */
const max = 500;

/** Builds the table of a page: one row for equal examples, with their number and sessions. */
function allExamples(result: Result): OutlineTable {
  const { examples } = result;
  const groups = groupExamples(examples);
  const listed = (group: ExampleGroup, textOf: (example: Example) => string | null): string =>
    listFirst(
      group.flatMap((each) => textOf(each) ?? []),
      maxListed,
    );
  const cells: readonly (readonly [head: string, cellOf: (group: ExampleGroup) => string])[] = [
    ['outcome', ([{ outcome }]) => outcome],
    ['>count', ({ length }) => formatCount(length)],
    ['error', ([{ detail }]) => detail],
    ['session/turn', (group) => listed(group, shortPlace)],
    ['at', (group) => listed(group, ({ atMs }) => formatMs(atMs))],
    ['>status', ([{ status }]) => (status === 0 ? '-' : String(status))],
    ['HTTP', ([{ protocol }]) => protocol],
    ['trace ids', (group) => listed(group, ({ traceId }) => traceId)],
    ['message', ([{ texts }]) => texts?.message ?? ''],
    ['reply', ([{ texts }]) => texts?.reply ?? ''],
  ];
  const has: Readonly<Partial<Record<string, boolean>>> = {
    'trace ids': examples.some(({ traceId }) => traceId !== null),
    message: examples.some(({ texts }) => texts !== null),
    reply: examples.some(({ texts }) => texts !== null),
  };
  const shown = cells.filter(([head]) => has[head] ?? true);
  const title =
    groups.length > max ? `${formatCount(max)} of ${countOf(groups.length, 'distinct example')}` : 'Examples';
  const rows = groups.slice(0, max).map((group) => shown.map(([, cellOf]) => cellOf(group)));
  const columns = linkTraces(heads(...shown.map(([head]) => head)), traceTemplate(result));
  return table(title, columns, rows, { on: ['page'] });
}

/** Formats session and turn: `5/3`. */
const shortPlace = ({ operation, session, turn }: Example): string =>
  `${String(session)}/${operation === 'create' ? 'create' : String(turn)}`;
