import { countMetrics } from './count-metrics.ts';
import { latencyMetrics } from './latency-metrics.ts';
import { driftMetrics } from './drift-metrics.ts';
import type { Metric } from './metric.ts';

/** Every figure of a result that has a name of its own. */
export const metrics: readonly Metric[] = [...latencyMetrics, ...countMetrics, ...driftMetrics];

const byName = new Map(metrics.map((metric) => [metric.name, metric]));

/** Their names. */
export const metricNames: readonly string[] = [...byName.keys()];

/** The metric of a name; `undefined` when there is none. */
export function metricNamed(name: string): Metric | undefined {
  return byName.get(name);
}
