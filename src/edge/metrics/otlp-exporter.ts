import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { ExportedRun, RunExporter } from './exported-run.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import { primeExport } from './prime-export.ts';
import { Pushes } from './pushes.ts';
import { RecordedMetrics } from './recorded-metrics.ts';

/** Pushes the figures of runs to an OTLP endpoint, now and then and once more at the end. */
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
  export: (metrics, tell) => {
    const ended = pushes.begin();
    exporter.export(metrics, (result) => {
      ended(result.error);
      tell(result);
    });
  },
  forceFlush: () => exporter.forceFlush(),
  shutdown: () => exporter.shutdown(),
});
