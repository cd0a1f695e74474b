import { setImmediate as pause } from 'node:timers/promises';
import {
  type Resource,
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { CollectionResult, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { ExportedRun } from './exported-run.ts';
import { metricDataOf, type HistogramForm } from './metric-data.ts';

/** Gives the figures of a run to exporters. Nothing is computed until one asks. */
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

  /** Metric by metric, all of one instant. The event loop turns in between: no turn is held up for longer than one takes. */
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
 * Whose figures they are: a run is an instance of the service `chat-load`. `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES` win.
 */
function resourceOf({ run, plan }: ExportedRun): Resource {
  const own = resourceFromAttributes({
    'service.name': 'chat-load',
    'service.version': run.toolVersion,
    'service.instance.id': run.id,
    'chat_load.scenario.name': plan.name,
    'chat_load.scenario.hash': plan.hash,
    'chat_load.scenario.seed': plan.seed,
    ...(run.label === null ? {} : { 'chat_load.run.label': run.label }),
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}
