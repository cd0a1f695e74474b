import { ChatLoadError } from '../../base/errors.ts';
import type { LivePlace } from '../../app/live/open-live.ts';
import type { RunPorts } from '../../app/run/ports.ts';
import type { TakenSignals } from '../console/screen.ts';
import type { Given } from '../parser/options.ts';
import { openExporters, type OpenExporters } from '../../edge/metrics/open-exporters.ts';
import { usage } from '../parser/rows.ts';

/** Observer that receives the path of the result as soon as it is written. */
export interface Follower {
  ended?: (path: string) => void;
}

/** Returns the address of the live page, if requested. Throws a usage error. */
export function readLivePlace({ live, 'live-host': host, repeat }: Given<'run'>): LivePlace | undefined {
  if (live === undefined) return undefined;
  const port = live === '' ? 0 : Number(live);
  if (!/^\d*$/.test(live) || port > 65_535)
    throw new ChatLoadError('usage', {
      message: `--live takes a port, not '${live}'.`,
      hint: 'Use --live 0 or --live=8080, or put --live after the scenario.',
    });
  if (repeat > 1)
    throw new ChatLoadError('usage', {
      message: `--live follows one run, not --repeat ${String(repeat)}.`,
      hint: 'Omit one of them.',
    });
  return { host, port };
}

/** Runs with a live page, whose buttons stop the run as signals do. */
export async function followLive(
  place: LivePlace,
  ports: RunPorts & { stops: TakenSignals },
  perform: (ports: RunPorts & Follower) => Promise<number>,
): Promise<number> {
  const { stops, screen } = ports;
  // Loaded on demand: few runs have a live page.
  const { openLive } = await import('../../app/live/open-live.ts');
  const live = await openLive(place, {
    stops,
    press: (button) => stops.request(button, button === 'drain' ? 'Drain on the live page' : 'Cut on the live page'),
    note: (text) => screen.note(text),
  });
  let path: string | undefined;
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= live.end(path));
  const ended = (written: string): void => {
    path = written;
    void end();
  };
  try {
    return await perform({ ...ports, live, ended });
  } finally {
    await end();
  }
}

/** Reads the flags of the Prometheus endpoint. OTLP is configured by OpenTelemetry's own variables. Throws a usage error. */
export function readMetricsFlags(args: Given<'metrics'>) {
  const { 'metrics-port': port, 'metrics-host': host = '127.0.0.1', 'metrics-linger': lingerMs } = args;
  if (port !== undefined) return { port, host, lingerMs: lingerMs ?? 0 };
  const given = (['metrics-host', 'metrics-linger'] as const).find((name) => args[name] !== undefined);
  if (given === undefined) return undefined;
  throw usage(`--${given} requires --metrics-port.`, 'For example --metrics-port 9464.');
}

/** Opens the metric exporters. Close them after the last run. */
export function openMetrics(args: Given<'metrics'>, note: (text: string) => void): Promise<OpenExporters> {
  return openExporters({ scrape: readMetricsFlags(args), environment: process.env, note });
}
