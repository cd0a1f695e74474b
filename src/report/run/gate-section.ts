import { measuredLedger, type Books, type Ledger } from '../../result/books/books.ts';
import type { GateVerdict } from '../../result/gates/gates.ts';
import { heads, painted, warningWord, type OutlineBlock, type OutlineRow } from '../outline/outline.ts';
import {
  countOf,
  formatCount,
  formatMs,
  formatNumber,
  formatPerHour,
  formatPerSecond,
  formatShare,
} from '../../base/format.ts';
import { titleIn, type RunSection } from './shown-run.ts';

const verdicts = {
  pass: { word: 'pass', state: 'good', paint: 'green' },
  fail: { word: 'FAIL', state: 'bad', paint: 'red' },
  'no-data': { word: 'NO DATA', state: 'bad', paint: 'red' },
} as const;

/** Gates with their limits and values. */
export const gateSection: RunSection = (runs) => ({
  page: {
    id: 'gates',
    title: 'Gates',
    lead: 'Pass conditions of the scenario. A gate without data fails.',
  },
  blocks: runs.flatMap((run): OutlineBlock[] => {
    const gates = orderGates(run.result.gates);
    const about = { type: 'table', title: titleIn(run, 'Gates') } as const;
    return [
      {
        ...about,
        on: ['terminal', 'page'],
        columns: heads('gate', 'metric', 'condition', 'measured'),
        rows: gates.map((gate) => {
          const { word, state, paint } = verdicts[gate.verdict];
          return { cells: [word, gate.metric, conditionText(gate), actualText(gate)], state, paint };
        }),
      },
      {
        ...about,
        on: ['markdown'],
        columns: heads('verdict', 'gate', 'measured'),
        rows: gates.map((gate) => ({
          cells: [gate.verdict, `${gate.metric} ${conditionText(gate)}`, actualText(gate)],
        })),
      },
    ];
  }),
});

/** Sorts gates by importance: failed, without data, passed. */
export function orderGates(gates: readonly GateVerdict[]): GateVerdict[] {
  return (['fail', 'no-data', 'pass'] as const).flatMap((each) => gates.filter(({ verdict }) => verdict === each));
}

/** Returns the limit of the gate on a metric, to follow its figure: `; gate < 2s`, `; gate < 2s FAILED`; '' without a gate. */
export function limitText(gates: readonly GateVerdict[], metric: string): string {
  const gate = gates.find((each) => each.metric === metric);
  return gate === undefined ? '' : `; gate ${conditionText(gate)}${gate.verdict === 'pass' ? '' : ' FAILED'}`;
}

/** Formats a condition: `< 2s`; `< 2s, confident` if the interval has to meet it. */
export function conditionText({ condition, confident }: GateVerdict): string {
  return confident ? `${condition}, confident` : condition;
}

/** Formats the measured value of a gate's metric in its unit, or the reason for its absence. */
export function actualText({ actual, infinite, interval, unit, reason }: GateVerdict): string {
  if (infinite) return 'infinite: the percentile is among failed turns';
  if (actual === null) return reason ?? 'no data';
  const figure = figureTexts[unit];
  return `${figure(actual)}${interval === null ? '' : `, ${figure(interval.low)} to ${figure(interval.high ?? Infinity)}`}`;
}

const figureTexts: Readonly<Record<GateVerdict['unit'], (actual: number) => string>> = {
  ms: formatMs,
  share: formatShare,
  perSecond: formatPerSecond,
  perHour: formatPerHour,
  verdict: (actual) => ['invalid', 'degraded', 'valid'][actual] ?? String(actual),
  ratio: formatNumber,
  count: formatNumber,
};

/** Verdict on the run's validity, with reasons and remedies. */
export const validitySection: RunSection = (runs) => ({
  blocks: runs.flatMap(({ result: { validity } }): OutlineBlock[] => {
    const { verdict, reasons } = validity;
    const paint = ({ valid: 'green', degraded: 'yellow', invalid: 'red' } as const)[verdict];
    const use = verdict === 'valid' ? ': the generator kept up with the load' : '';
    return [
      { type: 'text', on: ['terminal'], first: [`VALIDITY  `, painted(verdict, paint)], text: use },
      ...reasons.flatMap(({ message, remedy }): OutlineBlock[] => [
        { type: 'text', on: ['terminal'], first: ['  - '], text: message },
        { type: 'text', on: ['terminal'], first: ['    '], text: remedy, paint: ['dim'] },
      ]),
      { type: 'list', on: ['markdown'], texts: reasons.map(({ severity, message }) => `${severity}: ${message}`) },
    ];
  }),
});

/** Warnings with their remedies. */
export const warningSection: RunSection = (runs) => ({
  page: { id: 'warnings', title: 'Warnings', lead: 'Read these before using the figures.' },
  blocks: runs.flatMap((run): OutlineBlock[] => {
    const { warnings } = run.result;
    return [
      {
        type: 'list',
        on: ['terminal'],
        first: [warningWord[0] ?? '', ' '],
        texts: warnings.map(({ message, remedy }) => `${message}${remedy === null ? '' : ` ${remedy}`}`),
      },
      { type: 'list', on: ['markdown'], texts: warnings.map(({ message }) => message) },
      {
        type: 'table',
        on: ['page'],
        title: titleIn(run, 'Warnings'),
        columns: heads('warning', 'remedy'),
        rows: warnings.map(({ message, remedy }) => ({ cells: [message, remedy ?? ''], state: 'doubtful' })),
      },
    ];
  }),
});

/** Counters of sessions, turns and attempts; a terminal shows only failed consistency checks. */
export const bookSection: RunSection = (runs) => ({
  on: ['terminal', 'page'],
  page: {
    id: 'books',
    title: 'Counters and consistency checks',
    lead: 'Outcome of every session, turn and attempt. Published figures exclude the warm-up; charts mark it.',
  },
  blocks: runs.flatMap((run): OutlineBlock[] => {
    const { books } = run.result;
    return [
      {
        type: 'made',
        terminal: ({ colors }) =>
          books.balanced !== false
            ? ''
            : [colors.red(imbalance), ...books.broken.map((equation) => `  ${JSON.stringify(equation)}`)].join('\n'),
      },
      { type: 'text', on: ['page'], text: titleIn(run, balanceText(books)) },
      {
        type: 'table',
        on: ['page'],
        title: titleIn(run, 'Ledger'),
        isFolded: true,
        columns: heads('counter', '>whole run', '>warm-up', '>measured'),
        rows: Object.keys(accounts).flatMap((name) => accountRows(name as Account, books)),
      },
      {
        type: 'table',
        on: ['page'],
        title: titleIn(run, 'Failed consistency checks'),
        columns: heads('scope', 'check', '>left side', '>right side'),
        rows: books.broken.map(({ scope, name, left, right }) => ({
          cells: [scope, name, formatCount(left), formatCount(right)],
          state: 'bad',
        })),
      },
    ];
  }),
});

const imbalance = 'COUNTERS  are inconsistent: this is a bug in chat-load; report it with the result file';

function balanceText({ balanced, checked, broken }: Books): string {
  if (balanced === null) return 'The run never ended, so its counters cannot be checked.';
  if (balanced) return `The counters are consistent: ${countOf(checked, 'check')} passed.`;
  return `The counters are inconsistent: ${formatCount(broken.length)} of ${countOf(checked, 'check')} failed. This is a bug in chat-load; report it with the result file.`;
}

const accounts = {
  sessions: 'sessions',
  turns: 'turns',
  attempts: 'attempts of turns',
  createAttempts: 'attempts to create a session',
  integrity: 'integrity guard',
} as const satisfies Partial<Record<keyof Ledger, string>>;
type Account = keyof typeof accounts;

/** Rows of an account. Sessions and turns have measured counts of their own; for other accounts the warm-up is subtracted. */
function accountRows(account: Account, books: Books): OutlineRow[] {
  const measured: Partial<Record<string, Readonly<Record<string, number>>>> = measuredLedger(books);
  const warmUp: Readonly<Record<string, number>> = books.warmUp[account];
  return Object.entries<number>(books[account]).map(([name, count]) => {
    const part = warmUp[name] ?? 0;
    const rest = measured[account]?.[name] ?? count - part;
    return { cells: [`${accounts[account]}: ${name.replaceAll('_', ' ')}`, ...[count, part, rest].map(formatCount)] };
  });
}
