import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockoonServer } from '@mockoon/commons-server';
import type { Operation } from '../../src/protocol/protocol.ts';

/** An exchange as Mockoon logged it. */
interface Logged {
  operation: Operation;
  status: number;
}

export interface SecondImplementation {
  baseUrl: string;
  /** Everything that was answered, in the order of its end. */
  log: Logged[];
  /** Number of messages answered, by status. */
  messages(): Record<number, number>;
  creations(): number;
  close(): Promise<void>;
}

type Environment = ConstructorParameters<typeof MockoonServer>[0];

/**
 * Starts the API of `chat-messaging.json` on a free port of this process: an environment for Mockoon, written from the API
 * description alone. It uses the library behind `@mockoon/cli`, without its other packages; the command serves the same
 * file: `npx @mockoon/cli start --data test/mockoon/chat-messaging.json --port 3000`. Messages that contain `crashAt` are
 * answered with a 500.
 */
export async function startSecondImplementation(crashAt = 'crash'): Promise<SecondImplementation> {
  const text = readFileSync(new URL('chat-messaging.json', import.meta.url), 'utf8');
  const environment = JSON.parse(text.replace('"crash"', JSON.stringify(crashAt))) as Environment;
  const mockoon = new MockoonServer(environment, { disableTls: true });
  const log: Logged[] = [];
  mockoon.on('error', (code, error) => {
    throw error ?? new Error(code);
  });
  mockoon.on('transaction-complete', ({ request, response }) =>
    log.push({
      operation: request.urlPath?.endsWith('/sessions') === true ? 'create' : 'message',
      status: response.statusCode,
    }),
  );
  const server = createServer(mockoon.createRequestListener()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    log,
    messages: () => countBy(log.filter(({ operation }) => operation === 'message')),
    creations: () => log.filter(({ operation, status }) => operation === 'create' && status === 201).length,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function countBy(logged: readonly Logged[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of logged) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
