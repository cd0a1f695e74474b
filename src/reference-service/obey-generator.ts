import type { SettledEmbedded } from '../scenario/embedded.ts';
import type { ServiceStats } from './exchange/stats.ts';
import { openCalls, parentChannel } from './calls.ts';

/** What the generator's process asks of that of the embedded service; `start` comes first, and gives the base URL. */
export interface ServiceCalls {
  start(given: { options: SettledEmbedded; cores: number }): Promise<string>;
  stats(): ServiceStats | Promise<ServiceStats>;
}

interface Started {
  baseUrl: string;
  stats: ServiceCalls['stats'];
}

type Start = (options: SettledEmbedded, cores: number) => Promise<Started>;

/** Makes this process the embedded service of the one that forked it: it starts when told to, and ends when that one does. */
export function obeyGenerator(start: Start): void {
  let service: Started | undefined;
  const calls: ServiceCalls = {
    start: async ({ options, cores }) => {
      service = await start(options, cores);
      return service.baseUrl;
    },
    stats: () => {
      if (service === undefined) throw new Error('asked before it was started');
      return service.stats();
    },
  };
  process.on('disconnect', () => process.exit());
  openCalls(parentChannel()).answer(calls);
}
