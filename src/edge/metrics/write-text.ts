import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { RecordedMetrics } from './recorded-metrics.ts';

/** The text that Prometheus scrapes, written metric by metric. */
export async function writeText(metrics: RecordedMetrics): Promise<string> {
  const { resource, scope } = metrics;
  const texts = [whose.serialize({ resource, scopeMetrics: [] })];
  for await (const metric of metrics.read())
    texts.push(what.serialize({ resource, scopeMetrics: [{ scope, metrics: [metric] }] }));
  return `${texts.join('\n')}\n`;
}

/** Positional: no prefix, no timestamps, no labels of the resource; then without `target_info`, and without labels of the scope. */
const whose = new PrometheusSerializer(undefined, false, undefined, false, true);
const what = new PrometheusSerializer(undefined, false, undefined, true, true);
