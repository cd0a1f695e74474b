import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

/** A service that says everything that it was told, wherever a reply has room, and so whatever came in heads. */
export interface GossipingService {
  baseUrl: string;
  /** The heads of requests, in order. */
  readonly heads: IncomingMessage['headers'][];
}

/** How it may be different. */
export interface Gossip {
  setCookie?: string;
  /** Which requests it answers with 401. */
  refuses?: (headers: IncomingMessage['headers']) => boolean;
  /** What it issues as an OAuth server. */
  token?: string;
  tls?: TlsOptions;
  /** It answers no message before. */
  until?: Promise<void>;
}

/** Creates sessions; of messages it fails two in three, with what it was told in its status line, its heads and its bodies. It is an OAuth server, too, and a proxy to itself that makes no tunnels. Runs for one test. */
export async function openGossiping({ setCookie, refuses, token, tls, until }: Gossip = {}): Promise<GossipingService> {
  const heads: GossipingService['heads'] = [];
  const serve: RequestListener = (request, response) => {
    const { socket } = request;
    const shown = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
    heads.push({ ...request.headers, ...(shown && { 'client-certificate': String(shown.CN) }) });
    const heard = Object.entries(request.headers)
      .filter(([name]) => !ordinary.includes(name))
      .map(([name, value]) => `${name}: ${String(value)}`);
    if (setCookie !== undefined) response.setHeader('Set-Cookie', setCookie);
    const said = heard.join(' | ');
    response.setHeader('Content-Type', 'application/json');
    const answer = async (): Promise<unknown> => {
      if (request.url === '/oauth/token')
        return response.end(JSON.stringify({ access_token: token, token_type: 'bearer', expires_in: 3600 }));
      if (refuses?.(request.headers) === true) return response.writeHead(401).end(JSON.stringify({ error: said }));
      if (request.url?.endsWith('/sessions') === true) {
        response.statusCode = 201;
        return response.end(JSON.stringify({ success: true, data: { sessionId: `s${String(heads.length)}` } }));
      }
      await until;
      const turn = heads.length % 3;
      // What may stand in a status line is what may stand in a value.
      if (turn === 0) response.writeHead(500, said.slice(0, 200), { Location: encodeURI(`/?said=${said}`) });
      else response.writeHead(turn === 1 ? 400 : 200, { 'X-Heard': Buffer.from(said).toString('base64') });
      return response.end(JSON.stringify({ success: false, error: said, again: JSON.stringify(request.headers) }));
    };
    request.resume().on('end', () => void answer());
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('connect', ({ headers }, socket: Socket) =>
    socket.end(`HTTP/1.1 405 ${String(headers['proxy-authorization'])}\r\n\r\n`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: tls === undefined ? `http://127.0.0.1:${String(port)}` : `https://localhost:${String(port)}`,
    heads,
  };
}

const ordinary = ['host', 'accept', 'accept-encoding', 'connection', 'content-type', 'content-length', 'user-agent'];
