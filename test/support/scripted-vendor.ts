import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Raw } from '../gallery/row.ts';

/** Step of a script: a response, or one that is not completed. */
export interface Played {
  raw: Raw;
  /** After the body: `break` ends the connection, `hold` leaves the response open until the client leaves, `end` closes a socket. */
  then?: 'break' | 'hold' | 'end';
  /** Bytes of each write: 1 splits the response between all of its bytes. */
  step?: number;
}

/** A request as it arrived. */
export interface Arrival {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ScriptedVendor {
  baseUrl: string;
  arrivals: readonly Arrival[];
  /** Number of clients that left a held response. */
  left: () => number;
}

/** Opens a server for one test that sends one response after the other; the last one again and again. */
export async function openVendor(script: readonly Played[]): Promise<ScriptedVendor> {
  const arrivals: Arrival[] = [];
  let left = 0;
  const server = createServer((request, response) => {
    const step = script[Math.min(arrivals.length, script.length - 1)];
    const number = arrivals.length + 1;
    void receive(request, arrivals).then(() => step && play(response, { ...step, number }, () => left++));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${String(port)}`, arrivals, left: () => left };
}

async function receive(request: IncomingMessage, arrivals: Arrival[]): Promise<void> {
  const { method = '', url: path = '', headers } = request;
  const arrival = { method, path, headers, body: '' };
  arrivals.push(arrival);
  arrival.body = await text(request);
}

async function play(
  response: ServerResponse,
  { raw, then, step = Infinity, number }: Played & { number: number },
  left: () => void,
): Promise<void> {
  const { body } = raw;
  const bytes = typeof body === 'string' ? Buffer.from(body.replaceAll('#N#', String(number))) : body;
  response.writeHead(raw.status, raw.headers);
  for (let at = 0; at < bytes.length && !response.destroyed; at += step) {
    response.write(bytes.subarray(at, at + step));
    // The client is in this process: it reads before two turns of the loop have passed.
    await turnOfLoop();
    await turnOfLoop();
  }
  if (then === 'break') response.destroy();
  else if (then === 'hold') response.on('close', left);
  else response.end();
}
