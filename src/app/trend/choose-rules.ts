import { ChatLoadError } from '../../base/errors.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { type MetricRule, metricRules } from '../../compare/metrics/metric-rules.ts';

const extra = ['turn.ok.p90', 'effective.ok.p99'];

/** The metrics of a trend by their names; `undefined`: the gate family and two more. Throws a usage error for an unknown one. */
export function chooseRules(names: readonly string[] | undefined): MetricRule[] {
  if (names === undefined) return metricRules.filter(({ name, isGated }) => isGated || extra.includes(name));
  const known = metricRules.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ChatLoadError('usage', {
      message: `--metric: ${unknownName('metric', unknown, known)}`,
      hint: 'Give a metric by which releases are compared.',
    });
  return metricRules.filter(({ name }) => names.includes(name));
}
