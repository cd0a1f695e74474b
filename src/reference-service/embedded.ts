import { fork, type ChildProcess } from 'node:child_process';
import { ChatLoadError, messageOf } from '../base/errors.ts';
import type { ResolvedEmbedded } from '../scenario/embedded.ts';
import { pathInPackage } from '../edge/path-in-package.ts';
import { endProcess, openCalls, type Caller } from './calls.ts';
import type { ServiceStats } from './exchange/stats.ts';

/** The reference service in a separate process, so that it does not share the generator's core. */
export interface EmbeddedService {
  baseUrl: string;
  pid: number;
  /** Returns the statistics, read over the process's own channel, so that reading them is not counted. */
  stats: () => Promise<ServiceStats>;
  /** Ends the process and cuts exchanges in progress. */
  close: () => Promise<void>;
}

/** Calls from the generator's process to the embedded service; `start` is the first one and returns the base URL. */
export interface ServiceCalls {
  start(options: ResolvedEmbedded): Promise<string>;
  stats(): ServiceStats;
}

/**
 * Starts the embedded service on a free loopback port. Its process ends with this one, however this one ends, and
 * ignores the terminal's signals, so that sessions can drain.
 */
export async function startEmbedded(options: ResolvedEmbedded): Promise<EmbeddedService> {
  const child = fork(pathInPackage('dist/reference-service/embedded-process.js'), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const call = callsOf(child);
  const baseUrl = await call('start', options).catch(async (failed: unknown) => {
    await endProcess(child);
    throw failed;
  });
  return { baseUrl, pid: child.pid ?? 0, stats: () => call('stats', undefined), close: () => endProcess(child) };
}

/** Calls to the process of the service; calls without an answer, or answered with an error, are environment errors. */
function callsOf(child: ChildProcess): Caller<ServiceCalls> {
  const { call } = openCalls<ServiceCalls>(child);
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(unavailable(`its process ended with code ${String(code)}`)));
  });
  ended.catch(() => undefined);
  return (name, argument) => {
    if (!child.connected) return Promise.reject(unavailable('its process has ended'));
    const answered = call(name, argument).catch((failed: unknown) => {
      throw unavailable(messageOf(failed));
    });
    return Promise.race([answered, ended]);
  };
}

const unavailable = (why: string): ChatLoadError =>
  new ChatLoadError('environment', {
    message: `the embedded service is not available: ${why}`,
    hint: 'Start it yourself with `chat-load serve` and pass its address with --base-url.',
  });
