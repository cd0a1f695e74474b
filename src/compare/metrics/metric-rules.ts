import type { MetricSource } from '../../result/metrics/metric.ts';
import type { MetricUnit } from '../../result/metrics/metric.ts';
import { metrics } from '../../result/metrics/metrics.ts';
import { logScale, mirroredScale, ratioScale, rootScale, type Scale } from '../../statistics/scales.ts';

/** A metric by which releases are compared. */
export interface MetricRule {
  /** Name of the metric, as in gates. */
  name: string;
  meaning: string;
  /** Unit; drift is not compared. */
  unit: Exclude<MetricUnit, 'perHour'>;
  source: MetricSource;
  /** Direction of a regression. */
  worse: 'higher' | 'lower';
  /** Minimum relevant change: relative (0.05 is 5 %), for a share absolute (0.001 is 0.1 percentage points). */
  margin: number;
  /** True if it belongs to the gate family; others are informational and never fail a comparison. */
  isGated: boolean;
  /** True for the content of streamed replies: gated only if all runs have them. */
  isOfStreams?: boolean;
  /** True if it is read from the totals, since intervals do not contain it. */
  isOfTotals?: boolean;
}

const units = {
  quantile: 'ms',
  mean: 'ms',
  rate: 'perSecond',
  ratio: 'ratio',
  share: 'share',
} as const satisfies Record<MetricSource['kind'], MetricRule['unit']>;

const compared = metrics.flatMap(({ name, meaning, worse, comparison }) => {
  if (comparison === undefined || worse === null) return [];
  const { decides, isOfTotals = false, isOfStreams = false, source, margin } = comparison;
  const rule = { name, meaning, unit: units[source.kind], source, worse, margin, isOfTotals, isOfStreams };
  return [{ decides, rule: { ...rule, isGated: decides !== undefined } }];
});

const deciding = compared
  .filter(({ decides }) => decides !== undefined)
  .toSorted((a, b) => (a.decides ?? 0) - (b.decides ?? 0));

/** Names of the metrics that can fail a comparison. Each further one makes all of them harder to detect. */
export const gateFamily: readonly string[] = deciding.map(({ rule }) => rule.name);

/** All compared metrics, the gate family first, in its order. */
export const metricRules: readonly MetricRule[] = [
  ...deciding.map(({ rule }) => rule),
  ...compared.filter(({ decides }) => decides === undefined).map(({ rule }) => rule),
];

/** Returns the scale of a metric: Anscombe's root with absolute changes for shares, logarithms with relative changes otherwise. */
export function scaleOf({ source }: Pick<MetricRule, 'source'>): Scale {
  switch (source.kind) {
    case 'share':
      return source.rare === 'rest' ? mirroredScale : rootScale;
    case 'ratio':
      return ratioScale;
    case 'quantile':
    case 'mean':
    case 'rate':
      return logScale;
  }
}

/** Returns the shifts from a level beyond which a change is relevant. */
export function marginLimits(rule: MetricRule, from: number): { low: number; high: number } {
  const { shiftOf } = scaleOf(rule);
  const high = shiftOf(from, rule.margin);
  // Relative margins are symmetrical on the scale: five per cent more, and its inverse.
  return { low: rule.unit === 'share' ? shiftOf(from, -rule.margin) : -high, high };
}
