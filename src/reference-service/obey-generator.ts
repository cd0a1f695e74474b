import { messageOf } from '../base/errors.ts';
import type { SettledEmbedded } from '../scenario/embedded.ts';
import type { ServiceStats } from './exchange/stats.ts';

/** The messages from the generator's process to that of the embedded service. */
export type ToService = { kind: 'start'; options: SettledEmbedded; cores: number } | { kind: 'stats' };

export type FromService =
  { kind: 'listening'; baseUrl: string } | { kind: 'failed'; message: string } | { kind: 'stats'; stats: ServiceStats };

interface Started {
  baseUrl: string;
  stats: () => ServiceStats | Promise<ServiceStats>;
}

type Start = (options: SettledEmbedded, cores: number) => Promise<Started>;

/** Makes this process the embedded service of the one that forked it: it starts when told to, and ends when that one does. */
export function obeyGenerator(start: Start): void {
  let service: Started | undefined;
  const obey = async (message: ToService): Promise<void> => {
    if (message.kind === 'start') {
      service = await start(message.options, message.cores);
      send({ kind: 'listening', baseUrl: service.baseUrl });
    } else if (service !== undefined) send({ kind: 'stats', stats: await service.stats() });
  };
  // Ctrl-C reaches the whole process group: the generator drains, and this process ends when that one does.
  process.on('SIGINT', ignore);
  process.on('SIGTERM', ignore);
  process.on('SIGHUP', ignore);
  process.on('disconnect', () => process.exit());
  process.on('message', (message: ToService) => void obey(message).catch(report));
}

const report = (failed: unknown): void => send({ kind: 'failed', message: messageOf(failed) });

const send = (message: FromService): void => {
  // The listener may be gone already: this process is about to end then.
  process.send?.(message, () => undefined);
};

function ignore(): void {
  // A signal without a listener would end the process.
}
