import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { RecordedMetrics } from './recorded-metrics.ts';

/** The text that Prometheus scrapes, written metric by metric. */
export async function writeText(metrics: RecordedMetrics): Promise<string> {
  const { resource, scope } = metrics;
  const texts: string[] = [];
  for await (const metric of metrics.read()) {
    const serializer = texts.length === 0 ? whose : what;
    texts.push(serializer.serialize({ resource, scopeMetrics: [{ scope, metrics: [metric] }] }));
  }
  return `${texts.join('\n')}\n`;
}

// Positional: no prefix, no timestamps, no labels of the resource, no labels of the scope; the first one alone writes
// `target_info`, which says whose metrics they are.
const whose = new PrometheusSerializer(undefined, false, undefined, false, true);
const what = new PrometheusSerializer(undefined, false, undefined, true, true);
