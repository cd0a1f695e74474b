import type { MetricSource, MetricUnit } from '../../result/metrics/metric.ts';
import { metrics } from '../../result/metrics/metrics.ts';
import { logScale, mirroredScale, ratioScale, rootScale, type Scale } from '../../statistics/scales.ts';

export interface MetricRule {
  name: string;
  meaning: string;
  unit: Exclude<MetricUnit, 'perHour'>;
  source: MetricSource;
  worse: 'higher' | 'lower';
  /** Minimum relevant change: relative (0.05 is 5 %), for a share absolute (0.001 is 0.1 percentage points). */
  margin: number;
  /** True if it belongs to the gate family; others are informational and never fail a comparison. */
  isGated: boolean;
  isOfStreams?: boolean;
  isOfTotals?: boolean;
  isOfAttributedCalls?: boolean;
}

const units = {
  quantile: 'ms',
  mean: 'ms',
  rate: 'perSecond',
  ratio: 'ratio',
  share: 'share',
} as const satisfies Record<Exclude<MetricSource['kind'], 'quotient'>, MetricRule['unit']>;

/** Metrics that do not decide keep their order. */
const compared = metrics
  .flatMap(({ name, meaning, unit: own, worse, comparison }) => {
    if (comparison === undefined || worse === null || own === 'perHour') return [];
    const { decides = Infinity, isOfTotals = false, isOfStreams = false, isOfAttributedCalls = false } = comparison;
    const { source, margin } = comparison;
    const unit = source.kind === 'quotient' ? own : units[source.kind];
    const rule = { name, meaning, unit, source, worse, margin, isOfTotals, isOfStreams, isOfAttributedCalls };
    return [{ decides, rule: { ...rule, isGated: decides < Infinity } }];
  })
  .toSorted((a, b) => (a.decides === b.decides ? 0 : a.decides - b.decides));

/**
 * Names of the metrics that can fail a comparison. Each additional metric makes changes of all of them harder to
 * detect.
 */
export const gateFamily: readonly string[] = compared.flatMap(({ rule }) => (rule.isGated ? [rule.name] : []));

export const metricRules: readonly MetricRule[] = compared.map(({ rule }) => rule);

/** Reports whether a metric is about the creation of sessions, which not every protocol has. */
export function isOfCreations({ source }: Pick<MetricRule, 'source'>): boolean {
  return 'series' in source
    ? source.series === 'sessionCreate'
    : source.kind === 'share' && source.of.startsWith('sessions.');
}

/** Returns the scale of a metric: Anscombe's root with absolute changes for shares, logarithms with relative changes otherwise. */
export function scaleOf({ source }: Pick<MetricRule, 'source'>): Scale {
  if (source.kind === 'share') return source.rare === 'rest' ? mirroredScale : rootScale;
  return source.kind === 'ratio' ? ratioScale : logScale;
}

/** Returns the changes that a base of this value permits: a share stays between 0 and 1, and a number per turn is at least 1. */
export function possibleChanges({ source }: Pick<MetricRule, 'source'>, base: number): { low: number; high: number } {
  if (source.kind === 'share') return { low: 0 - base, high: 1 - base };
  return { low: source.kind === 'ratio' ? 1 / base - 1 : -1, high: Infinity };
}

/** Returns the shifts from a level beyond which a change is relevant. */
export function marginLimits(rule: MetricRule, from: number): { low: number; high: number } {
  const { shiftOf } = scaleOf(rule);
  const high = shiftOf(from, rule.margin);
  // Relative margins are symmetrical on the scale: five per cent more, and its inverse.
  return { low: rule.unit === 'share' ? shiftOf(from, -rule.margin) : -high, high };
}
