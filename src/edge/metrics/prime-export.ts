import { ms } from '../../base/time.ts';
import { settle } from '../../plan/settle.ts';
import { HistogramPool } from '../../record/dense-histogram.ts';
import { totalsOf, Partition } from '../../record/partition.ts';
import { seriesNames } from '../../record/series.ts';
import type { ExportedRun } from './exported-run.ts';
import type { HistogramForm } from './metric-data.ts';
import { RecordedMetrics } from './recorded-metrics.ts';

/**
 * Compiles what an export goes through before the first run: the first one takes ten times as long as later ones, which
 * turns would have to wait for. The figures are made up and go nowhere.
 */
export async function primeExport(
  form: HistogramForm,
  use: (metrics: RecordedMetrics) => Promise<unknown>,
): Promise<void> {
  const metrics = new RecordedMetrics(madeUpRun(), form);
  for (let time = 0; time < times; time++) await use(metrics);
}

const times = 5;

function madeUpRun(): ExportedRun {
  const { plan } = settle({ name: 'priming', messages: ['Hi'], sessions: 1 }, { flags: {}, environment: {} });
  const partition = new Partition(new HistogramPool(), { warmUp: false, policy: 0 });
  const { series } = partition.total;
  for (const name of seriesNames) for (let took = 0.001; took < 60_000; took *= 1.1) series[name].record(ms(took));
  return {
    plan,
    run: { id: 'priming', label: null, startedAt: new Date().toISOString(), toolVersion: '' },
    target: { address: 'localhost', port: 80, protocol: '' },
    live: () => ({ sessionsLive: 0, turnsInFlight: 0 }),
    totals: () => [totalsOf(partition, [])],
  };
}
