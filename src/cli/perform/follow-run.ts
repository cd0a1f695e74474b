import { ChatLoadError } from '../../base/errors.ts';
import type { LivePlace } from '../../app/live/open-live.ts';
import type { RunPorts } from '../../app/run/ports.ts';
import type { TakenSignals } from '../console/screen.ts';
import type { Given } from '../parser/options.ts';
import { openExporters, type OpenExporters } from '../../edge/metrics/open-exporters.ts';
import { usage } from '../parser/rows.ts';

/** Is told where the result of a run is, as soon as it is written. */
export interface Follower {
  ended?: (path: string) => void;
}

/** Where a live page was asked for; `undefined`: it was not. Throws a usage error. */
export function readLivePlace({ live, 'live-host': host, repeat }: Given<'run'>): LivePlace | undefined {
  if (live === undefined) return undefined;
  const port = live === '' ? 0 : Number(live);
  if (!/^\d*$/.test(live) || port > 65_535)
    throw new ChatLoadError('usage', {
      message: `--live takes a port, not '${live}'.`,
      hint: 'Give --live 0 or --live=8080, or put --live behind the scenario.',
    });
  if (repeat > 1)
    throw new ChatLoadError('usage', {
      message: `--live follows one run, not --repeat ${String(repeat)}.`,
      hint: 'Leave one of them out.',
    });
  return { host, port };
}

/** Performs a run that is followed by a live page, whose buttons stop it as signals do. */
export async function followLive(
  place: LivePlace,
  ports: RunPorts & { stops: TakenSignals },
  perform: (ports: RunPorts & Follower) => Promise<number>,
): Promise<number> {
  const { stops, screen } = ports;
  // Loaded here alone: few runs are followed.
  const { openLive } = await import('../../app/live/open-live.ts');
  const live = await openLive(place, {
    stops,
    press: (button) => stops.ask(button, button === 'drain' ? 'Drain on the live page' : 'Cut on the live page'),
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
