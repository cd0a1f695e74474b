import { openParentCalls } from './calls.ts';
import type { ServiceCalls } from './embedded.ts';
import type { RunningService } from './start.ts';

// The main module of the embedded service: it is started by a call of the process that forked it, and ends with that
// process.
let service: RunningService | undefined;
const calls: ServiceCalls = {
  start: async (options) => {
    // Loaded on demand, so that the end of the other process is noticed from the beginning.
    const { startService } = await import('./start.ts');
    service = await startService(options, { host: '127.0.0.1', port: 0 });
    return service.baseUrl;
  },
  stats: () => {
    if (service === undefined) throw new Error('the service has not been started');
    return service.stats();
  },
};
process.on('disconnect', () => process.exit());
openParentCalls().answer(calls);
