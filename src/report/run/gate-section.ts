import { measuredLedger, type Books, type Ledger } from '../../result/books/books.ts';
import { failsWithinError, type GateVerdict } from '../../result/gates/gates.ts';
import { figureText, latencyText, stepText } from '../words/measured-text.ts';
import { heads, list, painted, table, text, warningWord, type OutlineRow } from '../outline/outline.ts';
import {
  countOf,
  formatCost,
  formatCount,
  formatMs,
  formatNumber,
  formatPerHour,
  formatPerSecond,
  formatShare,
} from '../../base/format.ts';
import { perRun } from './shown-run.ts';

const verdicts = {
  pass: { word: 'pass', state: 'good', paint: 'green' },
  fail: { word: 'FAIL', state: 'bad', paint: 'red' },
  'no-data': { word: 'NO DATA', state: 'bad', paint: 'red' },
} as const;

export const gateSection = perRun(
  { page: { id: 'gates', title: 'Gates', lead: 'Pass conditions of the scenario. A gate without data fails.' } },
  ({ result }) => {
    const gates = orderGates(result.gates);
    const rows = gates.map((gate) => {
      const { word, state, paint } = verdicts[gate.verdict];
      return { cells: [word, gate.metric, conditionText(gate), actualText(gate)], state, paint };
    });
    const short = gates.map((gate) => [gate.verdict, `${gate.metric} ${conditionText(gate)}`, actualText(gate)]);
    return [
      table('Gates', heads('gate', 'metric', 'condition', 'measured'), rows, { on: ['terminal', 'page'] }),
      table('Gates', heads('verdict', 'gate', 'measured'), short, { on: ['markdown'] }),
    ];
  },
);

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
export function actualText(gate: GateVerdict): string {
  const { actual, infinite, interval, unit, reason, errorMs, resolutionMs } = gate;
  if (infinite) return 'infinite: the percentile is among failed turns';
  if (actual === null) return reason ?? 'no data';
  const figure = unit === 'ms' ? (ms: number) => latencyText({ resolutionMs }, ms) : figureTexts[unit];
  const text = unit === 'ms' ? figureText({ valueMs: actual, errorMs, resolutionMs }) : figure(actual);
  const isRange = resolutionMs === undefined || text.startsWith('<');
  const value = isRange ? text : `${text} ± ${stepText(resolutionMs)}`;
  const range = interval === null ? '' : `, ${figure(interval.low)} to ${figure(interval.high ?? Infinity)}`;
  const note = failsWithinError(gate) ? `; the limit is within the measurement error of ${formatMs(errorMs)}` : '';
  return `${value}${range}${note}`;
}

const figureTexts: Readonly<Record<Exclude<GateVerdict['unit'], 'ms'>, (actual: number) => string>> = {
  share: formatShare,
  perSecond: formatPerSecond,
  perHour: formatPerHour,
  verdict: (actual) => ['invalid', 'degraded', 'valid'][actual] ?? String(actual),
  ratio: formatNumber,
  count: formatNumber,
  cost: formatCost,
};

export const validitySection = perRun({}, ({ result: { validity } }) => {
  const { verdict, reasons } = validity;
  const paint = ({ valid: 'green', degraded: 'yellow', invalid: 'red' } as const)[verdict];
  const use = verdict === 'valid' ? ': the generator kept up with the load' : '';
  return [
    { ...text(use), on: ['terminal'], first: [`VALIDITY  `, painted(verdict, paint)] },
    ...reasons.flatMap(({ message, remedy }) => [
      list([message], { on: ['terminal'], first: ['  - '] }),
      { ...text(remedy, 'dim'), on: ['terminal' as const], first: ['    '] },
    ]),
    list(
      reasons.map(({ severity, message }) => `${severity}: ${message}`),
      { on: ['markdown'] },
    ),
  ];
});

export const warningSection = perRun(
  { page: { id: 'warnings', title: 'Warnings', lead: 'Read these before using the figures.' } },
  ({ result: { warnings } }) => {
    const rows = warnings.map(({ message, remedy }) => ({
      cells: [message, remedy ?? ''],
      state: 'doubtful' as const,
    }));
    const inFull = warnings.map(({ message, remedy }) => `${message}${remedy === null ? '' : ` ${remedy}`}`);
    return [
      list(inFull, { on: ['terminal'], first: [warningWord[0] ?? '', ' '] }),
      list(
        warnings.map(({ message }) => message),
        { on: ['markdown'] },
      ),
      table('Warnings', heads('warning', 'remedy'), rows, { on: ['page'] }),
    ];
  },
);

/** Counters of sessions, turns and attempts; a terminal shows only failed consistency checks. */
export const bookSection = perRun(
  {
    on: ['terminal', 'page'],
    page: {
      id: 'books',
      isSecondary: true,
      title: 'Counters and consistency checks',
      lead: 'Outcome of every session, turn and attempt. Published figures exclude the warm-up; charts mark it.',
    },
  },
  ({ result: { books } }) => {
    const ledger = Object.keys(accounts).flatMap((name) => accountRows(name as Account, books));
    const broken = books.broken.map(({ scope, name, left, right }): OutlineRow => ({
      cells: [scope, name, formatCount(left), formatCount(right)],
      state: 'bad',
    }));
    return [
      {
        type: 'made',
        terminal: ({ colors }) =>
          books.balanced !== false
            ? ''
            : [colors.red(imbalance), ...books.broken.map((equation) => `  ${JSON.stringify(equation)}`)].join('\n'),
      },
      { ...text(balanceText(books)), on: ['page'] },
      table('Ledger', heads('counter', '>whole run', '>warm-up', '>measured'), ledger, {
        on: ['page'],
        isFolded: true,
      }),
      table('Failed consistency checks', heads('scope', 'check', '>left side', '>right side'), broken, {
        on: ['page'],
      }),
    ];
  },
);

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

/** Builds the rows of an account. Sessions and turns have their own measured counts; for other accounts, the warm-up is subtracted. */
function accountRows(account: Account, books: Books): string[][] {
  const measured: Partial<Record<string, Readonly<Record<string, number>>>> = measuredLedger(books);
  const warmUp: Readonly<Record<string, number>> = books.warmUp[account];
  return Object.entries<number>(books[account]).map(([name, count]) => {
    const part = warmUp[name] ?? 0;
    const rest = measured[account]?.[name] ?? count - part;
    return [`${accounts[account]}: ${name.replaceAll('_', ' ')}`, ...[count, part, rest].map(formatCount)];
  });
}
