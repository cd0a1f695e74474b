import { messageOf } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { SettledEmbedded } from '../scenario/embedded.ts';
import { openParentCalls } from './calls.ts';
import type { ServiceStats } from './exchange/stats.ts';

/** Calls from the generator's process to the embedded service; `start` is the first one and returns the base URL. */
export interface ServiceCalls {
  start(given: { options: SettledEmbedded; cores: number }): Promise<string>;
  stats(): ServiceStats | Promise<ServiceStats>;
}

// The main module of the embedded service: it is started by a call of the process that forked it, and ends with that
// process. With several cores it supervises a process for each, and ends with any of them.
let service: Awaited<ReturnType<typeof start>> | undefined;
const calls: ServiceCalls = {
  start: async ({ options, cores }) => {
    service = await start(options, cores);
    return service.baseUrl;
  },
  stats: () => {
    if (service === undefined) throw new Error('the service has not been started');
    return service.stats();
  },
};
process.on('disconnect', () => process.exit());
openParentCalls().answer(calls);

async function start(options: SettledEmbedded, cores: number) {
  const at = { host: '127.0.0.1', port: 0 };
  if (cores === 1) return (await import('./start.ts')).startService(options, at);
  const { startProcesses } = await import('./processes/start-processes.ts');
  const started = await startProcesses(options, at, cores);
  started.failed.catch((failed: unknown) => {
    process.stderr.write(`${printable(messageOf(failed))}\n`);
    process.exit(1);
  });
  return started;
}
