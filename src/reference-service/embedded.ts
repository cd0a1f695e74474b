import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ChatLoadError } from '../base/errors.ts';
import type { SettledEmbedded } from '../scenario/embedded.ts';
import { pathInPackage } from '../edge/path-in-package.ts';
import type { FromService, ToService } from './obey-generator.ts';
import type { ServiceStats } from './exchange/stats.ts';

/** The reference service in a process of its own, so that it does not share the generator's core. */
export interface EmbeddedService {
  baseUrl: string;
  pid: number;
  /** Its books, read over the process's own channel, so that reading them is not counted. */
  stats: () => Promise<ServiceStats>;
  /** Ends the process; cuts what is under way. */
  close: () => Promise<void>;
}

/**
 * Starts the embedded service on a free loopback port. Its process ends with this one, however this one ends, and
 * ignores the terminal's signals, so that sessions can drain. With several cores it is a process for each, supervised by
 * one that `pid` names; when any of them ends, all do.
 */
export async function startEmbedded(options: SettledEmbedded, { cores = 1 } = {}): Promise<EmbeddedService> {
  const main = cores === 1 ? 'embedded-process' : 'processes/supervisor-process';
  const child = fork(pathInPackage(`dist/reference-service/${main}.js`), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { baseUrl } = await ask(child, { kind: 'start', options, cores }, 'listening').catch(
    async (failed: unknown) => {
      await end(child);
      throw failed;
    },
  );
  return {
    baseUrl,
    pid: child.pid ?? 0,
    stats: async () => (await ask(child, { kind: 'stats' }, 'stats')).stats,
    close: () => end(child),
  };
}

type ServiceReply<Kind> = Extract<FromService, { kind: Kind }>;

function ask<Kind extends FromService['kind']>(
  child: ChildProcess,
  message: ToService,
  kind: Kind,
): Promise<ServiceReply<Kind>> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => settle(() => reject(unavailable(why)));
    const listen = (reply: FromService): void => {
      if (reply.kind === kind) settle(() => resolve(reply as ServiceReply<Kind>));
      else if (reply.kind === 'failed') fail(reply.message);
    };
    const leave = (code: number | null): void => fail(`its process ended with code ${String(code)}`);
    const settle = (then: () => void): void => {
      child.off('message', listen).off('exit', leave);
      then();
    };
    child.on('message', listen).on('exit', leave);
    if (child.connected) child.send(message, (failed) => failed && fail(failed.message));
    else fail('its process has ended');
  });
}

const unavailable = (why: string): ChatLoadError =>
  new ChatLoadError('environment', {
    message: `the embedded service is not available: ${why}`,
    hint: 'Start it yourself with `chat-load serve` and give its address with --base-url.',
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const force = setTimeout(() => child.kill('SIGKILL'), 2000);
  if (child.connected) child.disconnect();
  await exited;
  clearTimeout(force);
}
