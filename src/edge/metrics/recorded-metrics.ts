import type { Resource } from '@opentelemetry/resources';
import type { CollectionResult, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { ExportedRun } from './exported-run.ts';
import { metricDataOf, type HistogramForm } from './metric-data.ts';
import { resourceOf } from './run-resource.ts';

/** Gives the figures of a run to exporters. Nothing is computed until one asks. */
export class RecordedMetrics implements MetricProducer {
  readonly resource: Resource;
  readonly #run: ExportedRun;
  readonly #form: HistogramForm;

  constructor(run: ExportedRun, form: HistogramForm) {
    this.#run = run;
    this.#form = form;
    this.resource = resourceOf(run);
  }

  collect(): Promise<CollectionResult> {
    const scope = { name: 'chat-load', version: this.#run.run.toolVersion };
    const metrics = metricDataOf(this.#run, this.#form, Date.now());
    return Promise.resolve({
      resourceMetrics: { resource: this.resource, scopeMetrics: [{ scope, metrics }] },
      errors: [],
    });
  }
}
