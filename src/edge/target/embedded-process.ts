import { messageOf } from '../../base/errors.ts';
import type { SettledEmbedded } from '../../scenario/embedded.ts';
import { startService, type RunningService } from './start.ts';
import type { ServiceStats } from './stats.ts';

/** The messages from the generator's process to the embedded service, whose main module this is. */
export type ToService = { kind: 'start'; options: SettledEmbedded } | { kind: 'stats' };

export type FromService =
  { kind: 'listening'; baseUrl: string } | { kind: 'failed'; message: string } | { kind: 'stats'; stats: ServiceStats };

let service: RunningService | undefined;

// Ctrl-C reaches the whole process group: the generator drains, and this process ends when that one does.
process.on('SIGINT', ignore);
process.on('SIGTERM', ignore);
process.on('SIGHUP', ignore);
process.on('disconnect', () => process.exit());
process.on('message', (message: ToService) => void obey(message).catch(report));

async function obey(message: ToService): Promise<void> {
  if (message.kind === 'start') {
    service = await startService(message.options, { host: '127.0.0.1', port: 0 });
    send({ kind: 'listening', baseUrl: service.baseUrl });
  } else if (service !== undefined) send({ kind: 'stats', stats: service.stats() });
}

const report = (failed: unknown): void => send({ kind: 'failed', message: messageOf(failed) });

const send = (message: FromService): void => {
  // The listener may be gone already: this process is about to end then.
  process.send?.(message, () => undefined);
};

function ignore(): void {
  // A signal without a listener would end the process.
}
