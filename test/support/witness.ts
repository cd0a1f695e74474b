import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/edge/clock.ts';
import { scriptedProvider } from '../../src/reference-service/conversation/scripted-provider.ts';
import { createService } from '../../src/reference-service/service.ts';
import type { ServiceStats } from '../../src/reference-service/exchange/stats.ts';
import { StoppableClock } from '../../src/reference-service/start.ts';
import { embeddedOptions, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { messagesPath } from '../../src/protocol/chat-messaging/api.ts';
import { loadApis } from '../../src/reference-service/apis/registry.ts';

const apis = await loadApis();

/** A message as the service saw it; wall-clock milliseconds. */
interface WitnessedMessage {
  receivedAt: number;
  /** When the whole reply was handed to the connection; `undefined` while it was not. */
  answeredAt: number | undefined;
  status: number | undefined;
}

/** A reference service that notes when it received and answered every message. */
export interface Witness {
  baseUrl: string;
  /** Arrival of the first request of each kind. */
  firstAt: () => number;
  messages: readonly WitnessedMessage[];
  stats: () => ServiceStats;
  /** Resolves with the first message. */
  begun: Promise<void>;
}

export async function openWitness(options: EmbeddedOptions): Promise<Witness> {
  const resolved = embeddedOptions.parse(options);
  const clock = new StoppableClock(systemClock);
  const service = createService({ options: resolved, apis, provider: scriptedProvider(resolved, clock), clock });
  const messages: WitnessedMessage[] = [];
  let firstAt = Infinity;
  const begun = new Promise<void>((resolve) => {
    service.server.prependListener('request', (request, response) => {
      firstAt = Math.min(firstAt, Date.now());
      if (request.url !== messagesPath) return;
      const message: WitnessedMessage = { receivedAt: Date.now(), answeredAt: undefined, status: undefined };
      messages.push(message);
      response.once('finish', () => Object.assign(message, { answeredAt: Date.now(), status: response.statusCode }));
      resolve();
    });
  });
  await once(service.server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    await service.close();
    clock.stop();
  });
  const { port } = service.server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  return { baseUrl, firstAt: () => firstAt, messages, stats: () => service.stats(), begun };
}
