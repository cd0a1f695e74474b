import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy between a browser and a server that can be broken. */
export interface BreakableLine {
  /** URL of the proxy for a browser. */
  server: string;
  /** Cuts every connection, and answers as a proxy without its server until it is mended. */
  break(): void;
  mend(): void;
  close(): void;
}

/** An HTTP proxy. */
export async function breakableLine(): Promise<BreakableLine> {
  let isBroken = false;
  const proxy = createServer((asked, response) => {
    if (isBroken) return void response.writeHead(502).end();
    const { url = '', method, headers } = asked;
    const passed = request(url, { method: method ?? 'GET', headers, agent: false });
    passed.on('error', () => response.destroy());
    passed.on('response', (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.on('error', () => response.destroy()).pipe(response);
    });
    response.once('close', () => passed.destroy());
    asked.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    server: `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`,
    break: () => {
      isBroken = true;
      proxy.closeAllConnections();
    },
    mend: () => (isBroken = false),
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
