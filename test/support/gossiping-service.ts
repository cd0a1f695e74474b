import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A service that says everything that it was told, wherever a reply has room, and so whatever came in heads. */
export interface GossipingService {
  baseUrl: string;
  /** The heads of requests, in order. */
  readonly heads: IncomingMessage['headers'][];
}

/** Creates sessions; of messages it fails two in three, with what it was told in its status line, its heads and its bodies. Runs for one test. */
export async function openGossiping(setCookie?: string): Promise<GossipingService> {
  const heads: GossipingService['heads'] = [];
  const server = createServer((request, response) => {
    heads.push(request.headers);
    const heard = Object.entries(request.headers)
      .filter(([name]) => !ordinary.includes(name))
      .map(([name, value]) => `${name}: ${String(value)}`);
    if (setCookie !== undefined) response.setHeader('Set-Cookie', setCookie);
    const said = heard.join(' | ');
    response.setHeader('Content-Type', 'application/json');
    request.resume().on('end', () => {
      if (request.url?.endsWith('/sessions') === true) {
        response.statusCode = 201;
        response.end(JSON.stringify({ success: true, data: { sessionId: `s${String(heads.length)}` } }));
        return;
      }
      const turn = heads.length % 3;
      // What may stand in a status line is what may stand in a value.
      if (turn === 0) response.writeHead(500, said.slice(0, 200), { Location: encodeURI(`/?said=${said}`) });
      else response.writeHead(turn === 1 ? 400 : 200, { 'X-Heard': Buffer.from(said).toString('base64') });
      response.end(JSON.stringify({ success: false, error: said, again: JSON.stringify(request.headers) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, heads };
}

const ordinary = ['host', 'accept', 'accept-encoding', 'connection', 'content-type', 'content-length', 'user-agent'];
