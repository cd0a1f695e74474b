import type { PolicyFigures } from '../result/policies.ts';
import type { RetryFigures } from '../result/retries.ts';
import type { Result } from '../result/result.ts';
import { formatCount, formatMs, formatPerSecond, formatShare } from './format.ts';
import { renderTable, type Style } from './table.ts';

/** Retries and backoff, the policies side by side; '' for a run in which nothing was retried or given up. */
export function retryTable({ retries }: Result, style: Style): string {
  const isQuiet = retries.retries === 0 && retries.creations.retries === 0 && sum(Object.values(retries.gaveUp)) === 0;
  if (isQuiet && retries.policies.length === 1) return '';
  const shown: readonly (RetryFigures & Partial<Pick<PolicyFigures, 'latency'>>)[] =
    retries.policies.length > 1 ? retries.policies : [{ ...retries, latency: undefined } as RetryFigures];
  const names = retries.policies.length > 1 ? retries.policies.map(({ name }) => name) : [''];
  const rows = figures(retries.objectiveMs).map(([label, read]) => [label, ...shown.map(read)]);
  const latency = retries.policies.length > 1 ? [['turn p50 / p95', ...retries.policies.map(latencyCell)]] : [];
  const columns = [{ head: 'RETRIES' }, ...names.map((head) => ({ head }))];
  return renderTable(columns, [...rows, ...latency], style);
}

type Read = (figures: RetryFigures) => string;

const figures = (objectiveMs: number | null): readonly (readonly [string, Read])[] => [
  [
    'amplification',
    ({ amplification, attempts, turnsSent }) =>
      `${amplification === null ? '-' : amplification.toFixed(3)} (${formatCount(attempts)} attempts for ${formatCount(turnsSent)} turns)`,
  ],
  ['retries', ({ retries, byCause }) => `${formatCount(retries)}${listed(byCause)}`],
  [
    'recovered',
    ({ recovered, recoveredAt }) =>
      `${formatCount(recovered)}${listed(recoveredAt, (attempt) => `at attempt ${attempt}`)}`,
  ],
  ['gave up', ({ gaveUp }) => giveUpText(gaveUp)],
  ['ambiguous', ({ ambiguous }) => `${formatCount(ambiguous)} may have repeated work`],
  [
    'Retry-After',
    ({ retryAfter: { obeyed, violated, absent, invalid } }) =>
      `obeyed ${formatCount(obeyed)}, violated ${formatCount(violated)}, absent ${formatCount(absent)}, invalid ${formatCount(invalid)}`,
  ],
  [
    'lost to backoff',
    ({ timeLostMs, retries }) =>
      `${formatMs(timeLostMs)}${retries === 0 ? '' : `, ${formatMs(timeLostMs / retries)} a retry`}`,
  ],
  ['create retries', ({ creations }) => `${formatCount(creations.retries)}${listed(creations.byCause)}`],
  [
    'goodput',
    ({ goodput }) =>
      `${goodput.perSecond === null ? '-' : formatPerSecond(goodput.perSecond)}, ${formatShare(goodput.share)} of turns ok${objectiveMs === null ? '' : ` within ${formatMs(objectiveMs)}`}`,
  ],
];

function giveUpText(gaveUp: RetryFigures['gaveUp']): string {
  const words = {
    final: 'not retried',
    exhausted: 'exhausted',
    tooLong: 'Retry-After too long',
    budget: 'budget',
    runEnd: 'run end',
  };
  const parts = Object.entries(words).map(([why, word]) => [gaveUp[why as keyof typeof words], word] as const);
  const seen = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  return seen.length === 0 ? '0' : seen.join(', ');
}

/** The counts that are not zero, in brackets: ` (rate_limited 4, timed_out 1)`. */
function listed(counts: Readonly<Record<string, number>>, nameOf = (name: string): string => name): string {
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  return seen.length === 0
    ? ''
    : ` (${seen.map(([name, count]) => `${nameOf(name)} ${formatCount(count)}`).join(', ')})`;
}

const latencyCell = ({ latency }: PolicyFigures): string =>
  `${formatMs(latency.turn.p50Ms)} / ${formatMs(latency.turn.p95Ms)}`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
