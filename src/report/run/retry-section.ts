import type { PolicyFigures } from '../../result/policies/policies.ts';
import type { ComparedFigure } from '../../result/policies/policy-intervals.ts';
import { finishedClassNames } from '../../protocol/outcome.ts';
import type { Result } from '../../result/result.ts';
import { percentiles } from '../../result/percentiles/percentiles.ts';
import { heads, table, type OutlineTable } from '../outline/outline.ts';
import { formatCount, formatMs, formatPerSecond, formatShare } from '../../base/format.ts';
import { dashBlocks, firstMissing, shownPercentiles } from '../outline/too-few.ts';
import { perRun } from './shown-run.ts';

/**
 * Retries and backoff, one column per policy; empty if a single policy neither retried nor gave up. If policies are
 * compared, ratios cover only the sessions of the verdict.
 */
export const retrySection = perRun(
  {
    on: ['terminal', 'page'],
    page: {
      id: 'retries',
      isSecondary: true,
      title: 'Retries and backoff',
      lead: 'Retries by cause, turns recovered, and time lost to waiting; one column per policy.',
    },
  },
  ({ result: { retries } }) => {
    const made = retryTable(retries);
    const rows = retries.policies.map(({ name, latency }) => [name, latency.turn] as const);
    return made.rows.length === 0 ? [made] : [made, ...dashBlocks(rows, wanted)];
  },
);

function retryTable(retries: Result['retries']): OutlineTable {
  const { policies } = retries;
  const isQuiet = policies.every((policy) => policy.retries + policy.creations.retries + sum(policy.gaveUp) === 0);
  const areCompared = policies.length > 1 && policies.some(({ intervals }) => intervals.servedShare !== null);
  const rows = rowsOf(policies, areCompared, objectivesText(retries)).filter(
    ({ isShown }) => isShown === undefined || policies.some(isShown),
  );
  return table(
    'Retries',
    [...heads('figure|RETRIES'), ...policies.map(({ name }) => ({ head: name, align: 'right' as const }))],
    isQuiet && policies.length < 2 ? [] : rows.map(({ label, read }) => [label, ...policies.map(read)]),
    { isSplit: true },
  );
}

interface RetryRow {
  label: string;
  read: (figures: PolicyFigures) => string;
  /** True if a policy has something to show; by default the row is always shown. */
  isShown?: (figures: PolicyFigures) => boolean;
}

/** Builds all rows; compared policies have figures over the sessions of the verdict. */
function rowsOf(policies: readonly PolicyFigures[], areCompared: boolean, objectives: string | null): RetryRow[] {
  const attempts = [...new Set(policies.flatMap(({ recoveredAt }) => Object.keys(recoveredAt)))];
  const good = objectives === null ? 'share of turns ok' : `share ok within ${objectives}`;
  return [
    row('turns sent', ({ turnsSent }) => formatCount(turnsSent)),
    row('attempts', (figures) => formatCount(figures.attempts)),
    ...(areCompared ? [] : [row('amplification', ({ amplification }) => amplification?.toFixed(3) ?? '-')]),
    row('retries', ({ retries }) => formatCount(retries)),
    ...finishedClassNames.map((name) => counted(`  after ${name}`, ({ byCause }) => byCause[name])),
    row('turns recovered', ({ recovered }) => formatCount(recovered)),
    ...attempts
      .sort((a, b) => Number(a) - Number(b))
      .map((attempt) => counted(`  at attempt ${attempt}`, ({ recoveredAt }) => recoveredAt[attempt] ?? 0)),
    ...rareRows,
    row('backoff planned', ({ backoffPlannedMs }) => formatMs(backoffPlannedMs)),
    row('backoff actual', ({ backoffActualMs }) => formatMs(backoffActualMs)),
    ...latencyRows,
    row('goodput', ({ goodput }) => (goodput.perSecond === null ? '-' : formatPerSecond(goodput.perSecond))),
    ...(areCompared
      ? [
          row('ended sessions', ({ intervals }) => formatCount(intervals.sessions)),
          ...compared('attempts per turn', 'amplification', (each) => each.toFixed(3)),
          ...compared(good, 'servedShare', formatShare),
          ...compared('backoff per turn', 'backoffActualPerTurnMs', formatMs),
        ]
      : [row(`  ${good}`, ({ goodput }) => formatShare(goodput.share))]),
  ];
}

const row = (label: string, read: RetryRow['read']): RetryRow => ({ label, read });

/** Builds a row that is omitted if all its counts are zero. */
function counted(label: string, count: (figures: PolicyFigures) => number): RetryRow {
  return { label, read: (figures) => formatCount(count(figures)), isShown: (figures) => count(figures) > 0 };
}

/** Percentiles of every policy. */
const wanted = ['p50', 'p95'] as const;

/** Percentiles of turn latency; if a policy has too few turns for one, also its highest known one, and the maximum. */
const latencyRows: readonly RetryRow[] = [
  ...percentiles.map(({ name, key }): RetryRow => ({
    label: `turn ${name}`,
    read: ({ latency }) => formatMs(latency.turn[key]),
    isShown: ({ latency: { turn } }) =>
      wanted.some((each) => each === name) || shownPercentiles(turn, wanted).some((each) => each.key === key),
  })),
  {
    label: 'turn max',
    read: ({ latency }) => formatMs(latency.turn.maxMs),
    isShown: ({ latency: { turn } }) => firstMissing(turn, wanted) !== undefined,
  },
];

const rareRows: readonly RetryRow[] = [
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
  counted('Retry-After obeyed', ({ retryAfter }) => retryAfter.obeyed),
  counted('Retry-After violated', ({ retryAfter }) => retryAfter.violated),
  counted('Retry-After absent', ({ retryAfter }) => retryAfter.absent),
  counted('Retry-After invalid', ({ retryAfter }) => retryAfter.invalid),
];

/** Builds the rows of a figure of the verdict and its interval. */
function compared(label: string, figure: ComparedFigure, format: (value: number) => string): RetryRow[] {
  const textOf = ({ intervals }: PolicyFigures): string => {
    const interval = intervals[figure];
    return interval === null ? '-' : format(interval.value);
  };
  return [row(`  ${label}`, textOf), row('    95 % interval', ({ intervals }) => rangeText(intervals[figure], format))];
}

/** Formats an interval: `92.1–94.0 %`, the unit only once if both ends share it. */
function rangeText(interval: { low: number; high: number } | null, format: (value: number) => string): string {
  if (interval === null) return '-';
  const [low = '', high = ''] = [interval.low, interval.high].map(format);
  const unit = / \S+$/.exec(high)?.[0] ?? '';
  return `${unit !== '' && low.endsWith(unit) ? low.slice(0, -unit.length) : low}–${high}`;
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Formats the objectives of a good turn: `3.00 s, first token 800 ms, gap 500 ms`; `null` if every ok turn is good. */
export function objectivesText(limits: Result['retries']): string | null {
  const { objectiveMs, objectiveFirstTokenMs, objectiveGapMs } = limits;
  const texts = (
    [
      ['', objectiveMs],
      ['first token ', objectiveFirstTokenMs],
      ['gap ', objectiveGapMs],
    ] as const
  ).flatMap(([name, ms]) => (ms === null ? [] : [name + formatMs(ms)]));
  return texts.length === 0 ? null : texts.join(', ');
}
