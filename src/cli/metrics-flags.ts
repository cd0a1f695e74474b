import type { Argv } from 'yargs';
import { ChatLoadError } from '../base/errors.ts';
import { openExporters, type OpenExporters } from '../edge/metrics/open-exporters.ts';
import { readDurationFlag } from './read-duration-flag.ts';

/** Where the figures of a run go while it goes on. */
export interface MetricsArguments {
  'metrics-port'?: number | undefined;
  'metrics-host'?: string | undefined;
  'metrics-linger'?: string | undefined;
}

/** Adds the flags of the endpoint that Prometheus scrapes. OTLP is ruled by OpenTelemetry's own variables. */
export function takeMetricsFlags<T>(yargs: Argv<T>): Argv<T & MetricsArguments> {
  const group = 'Metrics for dashboards (docs/dashboards.md):';
  return yargs
    .option('metrics-port', {
      type: 'number',
      requiresArg: true,
      group,
      describe: 'Serve metrics for Prometheus on this port while the run goes on; 0 picks a free one',
    })
    .option('metrics-host', {
      type: 'string',
      requiresArg: true,
      group,
      describe: 'The address to serve them on; only this machine can reach the default, 127.0.0.1',
    })
    .option('metrics-linger', {
      type: 'string',
      requiresArg: true,
      group,
      describe: 'After the run, wait until the last figures are scraped, at most so long (default 0s)',
    });
}

/** Checks the flags. Throws a usage error. */
export function readMetricsFlags(args: MetricsArguments) {
  const { 'metrics-port': port, 'metrics-host': host = '127.0.0.1', 'metrics-linger': linger = '0s' } = args;
  const lingerMs = readDurationFlag(linger, {
    flag: '--metrics-linger',
    mostMs: 3_600_000,
    range: 'up to 1h',
    example: '30s',
  });
  if (port === undefined) return requireNone(args);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw wrongPort();
  return { port, host, lingerMs };
}

/** Opens what exports figures. To be closed after the last run. */
export function openMetrics(args: MetricsArguments, note: (text: string) => void): Promise<OpenExporters> {
  return openExporters({ scrape: readMetricsFlags(args), environment: process.env, note });
}

function requireNone(args: MetricsArguments): undefined {
  const given = (['metrics-host', 'metrics-linger'] as const).find((name) => args[name] !== undefined);
  if (given === undefined) return undefined;
  throw new ChatLoadError('usage', {
    message: `--${given} belongs to --metrics-port, which is missing.`,
    hint: 'Give both: --metrics-port 9464.',
  });
}

const wrongPort = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: '--metrics-port takes a whole number from 0 to 65535.',
    hint: 'Give a free port such as 9464, or 0 to have one picked.',
  });
