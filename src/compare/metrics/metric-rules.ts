import type { MetricSource } from '../../result/metrics/metric.ts';
import type { MetricUnit } from '../../result/metrics/metric.ts';
import { metrics } from '../../result/metrics/metrics.ts';
import { logScale, mirroredScale, ratioScale, rootScale, type Scale } from '../../statistics/scales.ts';

/** A metric that releases are compared by. */
export interface MetricRule {
  /** As gates write it. */
  name: string;
  meaning: string;
  /** Releases are not compared by how they drift. */
  unit: Exclude<MetricUnit, 'perHour'>;
  source: MetricSource;
  /** The direction of a regression. */
  worse: 'higher' | 'lower';
  /** The least change that matters: relative (0.05 is 5 %), for a share in absolute terms (0.001 is 0.1 points). */
  margin: number;
  /** Whether it belongs to the gate family; others are informational and never fail a comparison. */
  isGated: boolean;
  /** Whether it is of the content of replies in pieces: it is gated only where all runs have them. */
  isOfStreams?: boolean;
  /** Whether it is read from the totals, since intervals do not contain it. */
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

/** The metrics that can fail a comparison. Each further one makes all of them harder to detect. */
export const gateFamily: readonly string[] = deciding.map(({ rule }) => rule.name);

/** Everything that releases are compared by, the gate family first, in its order. */
export const metricRules: readonly MetricRule[] = [
  ...deciding.map(({ rule }) => rule),
  ...compared.filter(({ decides }) => decides === undefined).map(({ rule }) => rule),
];

/** Shares on the root of Anscombe, changes in absolute terms; everything else on logarithms, changes relative. */
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

/** The shifts from a level on beyond which a change matters. */
export function marginLimits(rule: MetricRule, from: number): { low: number; high: number } {
  const { shiftOf } = scaleOf(rule);
  const high = shiftOf(from, rule.margin);
  // Relative margins are symmetrical on the scale: five per cent more, and what undoes it.
  return { low: rule.unit === 'share' ? shiftOf(from, -rule.margin) : -high, high };
}
