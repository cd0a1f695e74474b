import type { SeriesDrift } from '../drift/drift.ts';
import { generatorSeries, serviceSeries } from '../drift/drift-series.ts';
import type { Metric, Reading } from './metric.ts';

/** Changes in the course of a run: `drift.turn.p95`, `drift.turns.failedShare`, `drift.generator.rss`, ... */
export const driftMetrics: readonly Metric[] = [...serviceSeries, ...generatorSeries].map(({ name, unit }) => ({
  name: `drift.${name}`,
  unit: 'perHour',
  meaning: `change of ${name} an hour, ${unit === 'share' ? 'in percentage points' : 'of its level'}; 0 where no drift is shown`,
  read: ({ drift }) => readDrift(drift?.series.find((each) => each.name === name)),
}));

/** What is not more than chance is no change: a short run would else fail its gate by its noise. */
function readDrift(series: SeriesDrift | undefined): Reading {
  if (series === undefined) return { value: null, reason: 'not followed under this load' };
  if (series.perHour === null) return { value: null, reason: series.reason ?? 'too short to tell' };
  return { value: series.verdict === 'drift' ? series.perHour.value : 0 };
}
