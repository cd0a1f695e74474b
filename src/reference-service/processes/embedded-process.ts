import { messageOf } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import { openParentCalls } from '../calls.ts';
import type { ServiceCalls } from '../embedded.ts';

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

async function start(options: ResolvedEmbedded, cores: number) {
  const at = { host: '127.0.0.1', port: 0 };
  if (cores === 1) return (await import('../start.ts')).startService(options, at);
  const { startProcesses } = await import('./start-processes.ts');
  const started = await startProcesses(options, at, cores);
  started.failed.catch((failed: unknown) => {
    process.stderr.write(`${printable(messageOf(failed))}\n`);
    process.exit(1);
  });
  return started;
}
