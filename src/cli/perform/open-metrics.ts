import { openExporters, type OpenExporters } from '../../edge/metrics/open-exporters.ts';
import type { Given } from '../parser/options.ts';
import { usage } from '../parser/rows.ts';

/** Checks the flags of the endpoint that Prometheus scrapes. OTLP is ruled by OpenTelemetry's own variables. Throws a usage error. */
export function readMetricsFlags(args: Given<'metrics'>) {
  const { 'metrics-port': port, 'metrics-host': host = '127.0.0.1', 'metrics-linger': lingerMs } = args;
  if (port !== undefined) return { port, host, lingerMs: lingerMs ?? 0 };
  const given = (['metrics-host', 'metrics-linger'] as const).find((name) => args[name] !== undefined);
  if (given === undefined) return undefined;
  throw usage(`--${given} belongs to --metrics-port, which is missing.`, 'Give both: --metrics-port 9464.');
}

/** Opens what exports figures. To be closed after the last run. */
export function openMetrics(args: Given<'metrics'>, note: (text: string) => void): Promise<OpenExporters> {
  return openExporters({ scrape: readMetricsFlags(args), environment: process.env, note });
}
