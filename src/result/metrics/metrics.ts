import { countMetrics } from './count-metrics.ts';
import { latencyMetrics } from './latency-metrics.ts';
import type { Metric, Reading } from './metric.ts';
import type { SeriesDrift } from '../sections/drift.ts';
import { followGenerator, type DriftSeries } from './drift-series.ts';

/** Metrics of the service that can drift: those with a rule for following them. */
export const serviceSeries: readonly DriftSeries[] = [...latencyMetrics, ...countMetrics].flatMap(
  ({ name, worse, drift }) =>
    drift === undefined || worse === null ? [] : [{ name, subject: 'service', worse, ...drift }],
);

/** Series of the generator, whose own drift must not be blamed on the service. It has no other metrics. */
export const generatorSeries: readonly DriftSeries[] = [
  { name: 'generator.rss', ...followGenerator('bytes', ({ rssBytes }) => rssBytes) },
  { name: 'generator.heap', ...followGenerator('bytes', ({ heapBytes }) => heapBytes) },
  { name: 'generator.eventLoopDelay', ...followGenerator('ms', ({ eventLoopDelayP99Ms }) => eventLoopDelayP99Ms) },
].map((series) => ({ ...series, subject: 'generator', worse: 'higher' }));

/** Metrics of changes during a run: `drift.turn.p95`, `drift.turns.failedShare`, `drift.generator.rss`, ... */
export const driftMetrics: readonly Metric[] = [...serviceSeries, ...generatorSeries].map(
  ({ name, unit, worse, doubtIn }) => ({
    name: `drift.${name}`,
    unit: 'perHour',
    worse,
    meaning: `change of ${name} per hour, ${unit === 'share' ? 'in percentage points' : 'of its level'}; 0 if no drift was detected`,
    isKnownAtEnd: true,
    read: (result) => {
      const reason = doubtIn?.(result);
      if (reason !== undefined) return { value: null, reason };
      return readDrift(result.drift?.series.find((each) => each.name === name));
    },
  }),
);

/** Reads a drift. Changes within chance count as 0: otherwise a short run would fail its gate by noise. */
function readDrift(series: SeriesDrift | undefined): Reading {
  if (series === undefined) return { value: null, reason: 'not measured under this load' };
  if (series.perHour === null) return { value: null, reason: series.reason ?? 'too short to judge' };
  return { value: series.verdict === 'drift' ? series.perHour.value : 0 };
}

export const metrics: readonly Metric[] = [...latencyMetrics, ...countMetrics, ...driftMetrics];

const byName = new Map(metrics.map((metric) => [metric.name, metric]));

export const metricNames: readonly string[] = [...byName.keys()];

export function metricNamed(name: string): Metric | undefined {
  return byName.get(name);
}
