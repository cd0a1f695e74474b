import type { PolicyFigures } from '../../result/policies/policies.ts';
import type { PolicyInterval } from '../../result/policies/policy-intervals.ts';
import { finishedClassNames } from '../../protocol/outcome.ts';
import type { Result } from '../../result/result.ts';
import type { OutlineTable } from '../outline/outline.ts';
import { formatCount, formatMs, formatPerSecond, formatShare } from '../../base/format.ts';
import { titleIn, type RunSection } from './shown-run.ts';

/**
 * Retries and backoff, one column per policy; empty if a single policy neither retried nor gave up. If policies are
 * compared, ratios cover only the sessions of the verdict.
 */
export const retrySection: RunSection = (runs) => ({
  on: ['terminal', 'page'],
  page: {
    id: 'retries',
    title: 'Retries and backoff',
    lead: 'Retries by cause, turns recovered, and time lost to waiting; one column per policy.',
  },
  blocks: runs.map((run) => ({ ...retryTable(run.result), title: titleIn(run, 'Retries') })),
});

function retryTable({ retries }: Result): OutlineTable {
  const { policies } = retries;
  return {
    type: 'table',
    title: '',
    columns: [
      { head: 'figure', terminal: 'RETRIES' },
      ...policies.map(({ name }) => ({ head: name, align: 'right' as const })),
    ],
    rows: shownRows(retries).map(({ label, read }) => ({ cells: [label, ...policies.map(read)] })),
    isSplit: true,
  };
}

function shownRows(retries: Result['retries']): RetryRow[] {
  const { policies } = retries;
  const objectives = objectivesText(retries);
  const isQuiet = policies.every((policy) => policy.retries + policy.creations.retries + givenUp(policy) === 0);
  if (isQuiet && policies.length < 2) return [];
  return [
    ...always,
    ...causeRows,
    ...recoveryRows(policies),
    ...outcomeRows,
    ...retryAfterRows,
    ...goodputRows(objectives),
    ...comparedRows(objectives),
  ]
    .filter(({ isShown }) => isShown === undefined || policies.some(isShown))
    .filter(({ only }) => only === undefined || only === (areCompared(policies) ? 'compared' : 'alone'));
}

interface RetryRow {
  label: string;
  read: (figures: PolicyFigures) => string;
  /** True if a policy has something to show; by default the row is always shown. */
  isShown?: (figures: PolicyFigures) => boolean;
  /** Restricts the row to runs that compare policies, or to others. */
  only?: 'compared' | 'alone';
}

const always: readonly RetryRow[] = [
  { label: 'turns sent', read: ({ turnsSent }) => formatCount(turnsSent) },
  { label: 'attempts', read: ({ attempts }) => formatCount(attempts) },
  { label: 'amplification', read: ({ amplification }) => amplification?.toFixed(3) ?? '-', only: 'alone' },
  { label: 'retries', read: ({ retries }) => formatCount(retries) },
];

const causeRows: readonly RetryRow[] = finishedClassNames.map((name) =>
  counted(`  after ${name}`, ({ byCause }) => byCause[name]),
);

function recoveryRows(policies: readonly PolicyFigures[]): RetryRow[] {
  const attempts = [...new Set(policies.flatMap(({ recoveredAt }) => Object.keys(recoveredAt)))].sort(
    (a, b) => Number(a) - Number(b),
  );
  return [
    { label: 'turns recovered', read: ({ recovered }) => formatCount(recovered) },
    ...attempts.map((attempt) => counted(`  at attempt ${attempt}`, ({ recoveredAt }) => recoveredAt[attempt] ?? 0)),
  ];
}

const outcomeRows: readonly RetryRow[] = [
  counted('turns exhausted', ({ gaveUp }) => gaveUp.exhausted),
  counted('Retry-After too long', ({ gaveUp }) => gaveUp.tooLong),
  counted('retry budget exhausted', ({ gaveUp }) => gaveUp.budget),
  counted('class not retried', ({ gaveUp }) => gaveUp.final),
  counted('turns skipped afterwards', ({ outcomes }) => outcomes.turns.skipped_prior_failure),
  counted('ambiguous retries', ({ ambiguous }) => ambiguous),
  counted('replies that broke a check', ({ integrity }) => integrity.failed),
  counted('turns received twice', ({ integrity }) => integrity.turns.repeated),
  counted('creations retried', ({ creations }) => creations.retries),
  counted('creations given up', ({ creations }) => sum(creations.gaveUp)),
];

const retryAfterRows: readonly RetryRow[] = [
  counted('Retry-After obeyed', ({ retryAfter }) => retryAfter.obeyed),
  counted('Retry-After violated', ({ retryAfter }) => retryAfter.violated),
  counted('Retry-After absent', ({ retryAfter }) => retryAfter.absent),
  counted('Retry-After invalid', ({ retryAfter }) => retryAfter.invalid),
];

const goodputRows = (objectives: string | null): RetryRow[] => [
  { label: 'backoff planned', read: ({ backoffPlannedMs }) => formatMs(backoffPlannedMs) },
  { label: 'backoff actual', read: ({ backoffActualMs }) => formatMs(backoffActualMs) },
  { label: 'turn p50', read: ({ latency }) => formatMs(latency.turn.p50Ms) },
  { label: 'turn p95', read: ({ latency }) => formatMs(latency.turn.p95Ms) },
  { label: 'goodput', read: ({ goodput }) => (goodput.perSecond === null ? '-' : formatPerSecond(goodput.perSecond)) },
  { label: `  ${goodLabel(objectives)}`, read: ({ goodput }) => formatShare(goodput.share), only: 'alone' },
];

type Intervals = PolicyFigures['intervals'];

const areCompared = (policies: readonly PolicyFigures[]): boolean =>
  policies.length > 1 && policies.some(({ intervals }) => intervals.servedShare !== null);

/** Figures of the verdict, over its sessions. */
const comparedRows = (objectives: string | null): RetryRow[] => [
  { label: 'ended sessions', read: ({ intervals }) => formatCount(intervals.sessions), only: 'compared' },
  ...comparedFigure('attempts per turn', ({ amplification }) => amplification, (attempts) => attempts.toFixed(3)), // prettier-ignore
  ...comparedFigure(goodLabel(objectives), ({ servedShare }) => servedShare, formatShare),
  ...comparedFigure('backoff per turn', ({ backoffActualPerTurnMs }) => backoffActualPerTurnMs, formatMs),
];

const goodLabel = (objectives: string | null): string =>
  objectives === null ? 'share of turns ok' : `share ok within ${objectives}`;

/** Builds a row that is omitted if all its counts are zero. */
function counted(label: string, count: (figures: PolicyFigures) => number): RetryRow {
  return { label, read: (figures) => formatCount(count(figures)), isShown: (figures) => count(figures) > 0 };
}

/** Builds the rows of a figure and its interval. */
function comparedFigure(
  label: string,
  read: (intervals: Intervals) => PolicyInterval | null,
  format: (value: number) => string,
): RetryRow[] {
  const valueOf = (interval: PolicyInterval | null): string => (interval === null ? '-' : format(interval.value));
  return [
    { label: `  ${label}`, read: ({ intervals }) => valueOf(read(intervals)), only: 'compared' },
    { label: '    95 % interval', read: ({ intervals }) => rangeText(read(intervals), format), only: 'compared' },
  ];
}

/** Formats an interval: `92.1–94.0 %`, the unit only once if both ends share it. */
function rangeText(interval: { low: number; high: number } | null, format: (value: number) => string): string {
  if (interval === null) return '-';
  const [low = '', high = ''] = [interval.low, interval.high].map(format);
  const unit = / \S+$/.exec(high)?.[0] ?? '';
  return `${unit !== '' && low.endsWith(unit) ? low.slice(0, -unit.length) : low}–${high}`;
}

const givenUp = ({ gaveUp }: PolicyFigures): number => sum(gaveUp);
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Formats the objectives of a good turn: `3.00 s, first token 800 ms, gap 500 ms`; `null` if every ok turn is good. */
export function objectivesText({
  objectiveMs,
  objectiveFirstTokenMs,
  objectiveGapMs,
}: Pick<Result['retries'], 'objectiveMs' | 'objectiveFirstTokenMs' | 'objectiveGapMs'>): string | null {
  const limits = [
    ...(objectiveMs === null ? [] : [formatMs(objectiveMs)]),
    ...(objectiveFirstTokenMs === null ? [] : [`first token ${formatMs(objectiveFirstTokenMs)}`]),
    ...(objectiveGapMs === null ? [] : [`gap ${formatMs(objectiveGapMs)}`]),
  ];
  return limits.length === 0 ? null : limits.join(', ');
}
