import { setImmediate as pause } from 'node:timers/promises';
import type { Resource } from '@opentelemetry/resources';
import type { CollectionResult, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { ExportedRun } from './exported-metrics.ts';
import { metricDataOf, type HistogramForm } from './metric-data.ts';
import { ms } from '../../base/time.ts';
import { resourceOf } from '../otlp-resource.ts';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import { HistogramPool } from '../../record/dense-histogram.ts';
import { totalsOf, Partition } from '../../record/partition.ts';
import { seriesNames } from '../../record/series.ts';

/** Provides the figures of a run to exporters. They are computed on demand. */
export class RecordedMetrics implements MetricProducer {
  readonly resource: Resource;
  readonly scope: { name: string; version: string };
  readonly #run: ExportedRun;
  readonly #form: HistogramForm;

  constructor(run: ExportedRun, form: HistogramForm) {
    this.#run = run;
    this.#form = form;
    this.resource = resourceOf(run);
    this.scope = { name: 'chat-load', version: run.run.toolVersion };
  }

  /** Yields metric by metric, all of one instant. The event loop turns in between: a turn is delayed by one metric at most. */
  async *read(): AsyncGenerator<MetricData, void> {
    for (const metric of metricDataOf(this.#run, this.#form, Date.now())) {
      yield metric;
      await pause();
    }
  }

  async collect(): Promise<CollectionResult> {
    const metrics: MetricData[] = [];
    for await (const metric of this.read()) metrics.push(metric);
    return {
      resourceMetrics: { resource: this.resource, scopeMetrics: [{ scope: this.scope, metrics }] },
      errors: [],
    };
  }
}

/**
 * Compiles the code of an export before the first run: the first one takes ten times as long as later ones, which would
 * delay turns. The figures are invented and discarded.
 */
export async function primeExport(
  form: HistogramForm,
  use: (metrics: RecordedMetrics) => Promise<unknown>,
): Promise<void> {
  const metrics = new RecordedMetrics(inventedRun(), form);
  for (let time = 0; time < 5; time++) await use(metrics);
}

function inventedRun(): ExportedRun {
  const { plan } = resolveScenario({ name: 'priming', messages: ['Hi'], sessions: 1 }, { flags: {}, environment: {} });
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
