import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that records the time of its first request. */
export interface GreetedService {
  baseUrl: string;
  /** Returns the arrival times of each shard's first message since `forget`, in milliseconds of `performance.now()`. */
  firsts(shards: number): number[];
  /** Resolves when every shard has sent a message. */
  allHeard(shards: number): Promise<void>;
  forget(): void;
}

/** Opens a service that answers immediately, passes it to `use`, and closes it. */
export async function withGreetedService<Value>(use: (service: GreetedService) => Promise<Value>): Promise<Value> {
  const firstOf = new Map<number, number>();
  const server = createServer((request, response) => {
    const at = performance.now();
    void textOf(request).then((body) => {
      const session = /session=(\d+)/.exec(body)?.[1];
      if (session !== undefined && !firstOf.has(Number(session))) firstOf.set(Number(session), at);
      if (session !== undefined) server.emit('message');
      answer(response, body);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const firsts = (shards: number): number[] =>
    Array.from({ length: shards }, (_, shard) =>
      Math.min(...[...firstOf].filter(([number]) => (number - 1) % shards === shard).map(([, at]) => at)),
    );
  try {
    return await use({
      baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
      firsts,
      allHeard: async (shards) => {
        while (!firsts(shards).every(Number.isFinite)) await once(server, 'message');
      },
      forget: () => firstOf.clear(),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

let exchanges = 0;

function answer(response: ServerResponse, body: string): void {
  const id = String(++exchanges);
  const sessionId = /"sessionId":"(\d+)"/.exec(body)?.[1] ?? id;
  const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
  const data = { response: `Hi ${id}.`, chatId: `c${id}`, sessionId, isSession: true, ...dates };
  response
    .writeHead(body.includes('"message"') ? 200 : 201, { 'content-type': 'application/json' })
    .end(JSON.stringify({ success: true, data }));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
