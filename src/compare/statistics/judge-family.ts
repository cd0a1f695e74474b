import { adjustForFamily, levelAmong } from '../../statistics/differences.ts';
import type { MetricComparison } from '../document/comparison.ts';
import { estimateChange, type ChangeEstimate } from './estimate-change.ts';
import type { MetricHistory } from '../document/history.ts';
import { judgeChange, withoutNoise } from './judge-change.ts';
import { type MetricRule, scaleOf } from '../metrics/metric-rules.ts';
import { sideNames, worstOf, type MissingFigure, type Observed } from '../document/side.ts';

/** A metric of both sides: the runs that have it, and the reasons of the other runs. */
export interface MeasuredMetric {
  rule: MetricRule;
  base: readonly Observed[];
  head: readonly Observed[];
  missing?: { base: readonly MissingFigure[]; head: readonly MissingFigure[] } | undefined;
  history?: MetricHistory | undefined;
}

interface FamilyOptions {
  q: number;
  /** Assumed standard deviation between batches of runs, as a share. */
  assumedNoise?: number | undefined;
  /** Degrees of freedom that it is worth. Default: infinite, since it counts as known. */
  assumedDegrees?: number | undefined;
}

/**
 * Judges metrics as one family, in the given order: the more metrics, the stronger the required evidence for each. Metrics
 * that cannot differ, because neither side has any event, are not part of it (Tarone, 1990).
 */
export function judgeFamily(metrics: readonly MeasuredMetric[], options: FamilyOptions): MetricComparison[] {
  const { q } = options;
  const estimates = metrics.map(align).map((metric) => {
    const obstacle = obstacleOf(metric);
    const of = obstacle === null ? estimate(metric, options) : { obstacle };
    return { metric, of, p: isEventless(metric) ? null : pOf(of) };
  });
  const members = estimates.flatMap(({ p }, at) => (p === null ? [] : [{ p, at }]));
  const ps = members.map(({ p }) => p);
  const adjusted = new Map(adjustForFamily(ps).map((p, member) => [members[member]?.at, p]));
  return estimates.map(({ metric, of }, at) => {
    if ('obstacle' in of) return withoutData(metric, of.obstacle);
    const others = members.flatMap((member) => (member.at === at ? [] : [member.p]));
    const family = { q, level: levelAmong(others, q), adjustedFor: ps.length };
    return compared(metric, { estimate: of, pAdjusted: adjusted.get(at) ?? null, ...family });
  });
}

function estimate(metric: AlignedMetric, { assumedNoise, assumedDegrees }: FamilyOptions): ChangeEstimate {
  const { rule, base, head, history } = metric;
  const assumed =
    assumedNoise === undefined ? undefined : { ...assumedFor(metric, assumedNoise), scale: scaleOf(rule) };
  return estimateChange(base, head, { history, assumed: assumed && { ...assumed, degrees: assumedDegrees } });
}

/**
 * Returns the assumed noise of a metric. The speed of machines differs between batches, but calls, tokens and cost per
 * turn do not depend on it: apart from the noise that runs show, they are assumed to vary by one turn of a run.
 */
const assumedFor = ({ rule: { source }, count }: AlignedMetric, assumedNoise: number) => ({
  relative: source.kind === 'quotient' ? Math.min(assumedNoise, 1 / count) : assumedNoise,
  isOfCounts: source.kind === 'share' || source.kind === 'ratio',
});

type AlignedMetric = MeasuredMetric & { count: number };

function align(metric: MeasuredMetric): AlignedMetric {
  const { rule, base, head } = metric;
  const count = minCount([...base, ...head]);
  return { ...metric, count, base: alignRuns(rule, base, count), head: alignRuns(rule, head, count) };
}

const pOf = (estimate: ChangeEstimate | { obstacle: string }): number | null =>
  'obstacle' in estimate || 'unknown' in estimate.noise ? null : estimate.noise.p;

/** Returns the reason why a metric cannot be compared; `null` if it can. A run with a censored value is a slow run; without it, its side would look faster than it is. */
function obstacleOf(metric: MeasuredMetric): string | null {
  for (const side of sideNames) {
    const lacking = metric.missing?.[side] ?? [];
    const isEmpty = metric[side].length === 0;
    const cause = lacking.find((run) => run.missing === 'censored') ?? (isEmpty ? worstOf(lacking) : undefined);
    if (cause !== undefined) return `${side}: ${cause.detail}`;
    if (isEmpty) return `${side}: no run has this figure`;
  }
  return null;
}

function compared(
  metric: AlignedMetric,
  how: { estimate: ChangeEstimate } & Record<'q' | 'level' | 'adjustedFor', number> & { pAdjusted: number | null },
): MetricComparison {
  const { rule, count } = metric;
  const judgement = { ...judgeChange({ rule, count, ...how }), ...eventlessVerdict(metric) };
  const { valueOf } = scaleOf(rule);
  const reasons = [judgement.reason, ...lackOf(metric)].filter((reason) => reason !== null);
  return {
    ...about(metric),
    ...judgement,
    reason: reasons.length === 0 ? null : reasons.join('; '),
    base: valueOf(how.estimate.base, count),
    head: valueOf(how.estimate.head, count),
  };
}

/** If nothing was counted on either side there is no difference, however few turns there were. */
function eventlessVerdict(metric: MeasuredMetric) {
  if (!isEventless(metric)) return {};
  const { source } = metric.rule;
  const isAll = source.kind === 'share' && source.rare === 'rest';
  const reason = `${isAll ? '100 %' : 'none'} on both sides`;
  return { verdict: 'unchanged', reason, runsNeeded: null, p: null, pAdjusted: null, adjustedFor: null } as const;
}

/** Reports whether nothing was counted on either side. */
function isEventless({ rule: { source }, base, head }: MeasuredMetric): boolean {
  const none = eventlessValue(source);
  return none !== null && [...base, ...head].every(({ figure }) => figure.value === none);
}

function eventlessValue(source: MetricRule['source']): number | null {
  if (source.kind === 'ratio') return 1;
  if (source.kind !== 'share') return null;
  return source.rare === 'rest' ? 1 : 0;
}

function lackOf(metric: MeasuredMetric): string[] {
  return sideNames.flatMap((side) => {
    const lacking = metric.missing?.[side] ?? [];
    const runs = `${String(lacking.length)} of ${String(lacking.length + metric[side].length)} ${side} runs`;
    const worst = worstOf(lacking);
    return worst === undefined ? [] : [`${runs} omitted: ${worst.detail}`];
  });
}

const about = ({ rule, base, head }: MeasuredMetric) => ({
  name: rule.name,
  unit: rule.unit,
  worse: rule.worse,
  isGated: rule.isGated,
  notGatedBecause: null,
  margin: rule.margin,
  runs: { base: base.length, head: head.length },
});

const withoutData = (metric: MeasuredMetric, reason: string): MetricComparison => ({
  ...about(metric),
  verdict: 'no_data',
  reason,
  base: null,
  head: null,
  change: null,
  ...withoutNoise,
});

/**
 * Aligns runs on one scale. With few events, Anscombe's root depends on the number of values; computed with the
 * smallest number among all runs, equal shares become equal levels. All other metrics need no alignment.
 */
export function alignRuns<T extends Pick<Observed, 'figure'>>(
  rule: MetricRule,
  runs: readonly T[],
  count: number,
): readonly T[] {
  if (rule.source.kind !== 'share') return runs;
  const { levelOf } = scaleOf(rule);
  return runs.map((run) => ({ ...run, figure: { ...run.figure, level: levelOf(run.figure.value, count) } }));
}

export function minCount(runs: readonly Pick<Observed, 'figure'>[]): number {
  return Math.min(...runs.map(({ figure }) => figure.count));
}
