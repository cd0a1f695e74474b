import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { ExportedRun, RunExporter } from './exported-metrics.ts';
import type { OtlpSettings } from '../otlp-settings.ts';
import { primeExport, RecordedMetrics } from './recorded-metrics.ts';
import { messageOf } from '../../base/errors.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** Pushes the figures of runs to an OTLP endpoint, periodically and at the end. */
export async function openOtlpExporter(settings: OtlpSettings): Promise<RunExporter> {
  const { OTLPMetricExporter } =
    settings.format === 'json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  await primeExport('exponential', (metrics) => metrics.collect());
  return { observe: (run) => pushRun(run, settings, new OTLPMetricExporter()) };
}

function pushRun(
  run: ExportedRun,
  { shownUrl, intervalMs, timeoutMs }: OtlpSettings,
  exporter: PushMetricExporter,
): ReturnType<RunExporter['observe']> {
  const pushes = new Pushes();
  const metrics = new RecordedMetrics(run, 'exponential');
  const reader = new PeriodicExportingMetricReader({
    exporter: countPushes(exporter, pushes),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: timeoutMs,
    metricProducers: [metrics],
  });
  const provider = new MeterProvider({ resource: metrics.resource, readers: [reader] });
  return {
    end: async () => {
      const endedAt = performance.now();
      await provider.shutdown();
      return pushes.warnings(shownUrl, endedAt);
    },
  };
}

const countPushes = (exporter: PushMetricExporter, pushes: Pushes): PushMetricExporter => ({
  export: (metrics, done) => {
    const ended = pushes.begin();
    exporter.export(metrics, (result) => {
      ended(result.error);
      done(result);
    });
  },
  forceFlush: () => exporter.forceFlush(),
  shutdown: () => exporter.shutdown(),
});

/** The outcomes of the pushes of a run: each contains all figures so far, so that only the last one decides whether figures are lost. */
export class Pushes {
  #last: { error?: unknown; hasArrived: boolean } | undefined;
  #count = 0;
  #failed = 0;
  /** Start of the latest push that arrived. */
  #arrivedAt: number | undefined;

  /** Begins a push; the returned function ends it. */
  begin(): (error: unknown) => void {
    const beganAt = performance.now();
    const push: { error?: unknown; hasArrived: boolean } = { hasArrived: false };
    this.#last = push;
    this.#count++;
    return (error) => {
      push.error = error;
      push.hasArrived = error === undefined;
      if (push.hasArrived) this.#arrivedAt = beganAt;
      else this.#failed++;
    };
  }

  /** Returns the warnings for the result, once the last push is over or was given up. */
  warnings(url: string, endedAt: number): Warning[] {
    const last = this.#last;
    if (last?.hasArrived === true) return this.#failed === 0 ? [] : [gaps(url, this.#failed, this.#count)];
    const why = last?.error === undefined ? 'it took too long' : messageOf(last.error);
    return [lost({ url, why, sinceMs: this.#arrivedAt === undefined ? undefined : endedAt - this.#arrivedAt })];
  }
}

const gaps = (url: string, failed: number, count: number): Warning => ({
  code: 'metrics_with_gaps',
  message: `${String(failed)} of ${String(count)} pushes of metrics to ${url} failed, but the last one succeeded: sums there are complete, but some arrived late.`,
  remedy: null,
});

const lost = ({ url, why, sinceMs }: { url: string; why: string; sinceMs: number | undefined }): Warning => ({
  code: 'metrics_not_exported',
  message:
    sinceMs === undefined
      ? `No metrics arrived at ${url}: ${why}.`
      : `The last push of metrics to ${url} failed: ${why}. The last ${(sinceMs / 1000).toFixed(1)} s of the run are missing there.`,
  remedy: 'Check OTEL_EXPORTER_OTLP_ENDPOINT, and that the collector runs. The result has everything.',
});
