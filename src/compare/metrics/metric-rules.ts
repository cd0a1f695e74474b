import type { MetricSource } from '../../result/metrics/comparison-rule.ts';
import { metrics } from '../../result/metrics/metrics.ts';
import type { MetricRule } from './metric-rule.ts';

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
