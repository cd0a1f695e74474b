import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

/** A service that repeats every secret it received, in each part of a response. */
export interface GossipingService {
  baseUrl: string;
  /** The heads of requests, in order. */
  readonly heads: IncomingMessage['headers'][];
}

/** Variations of the service. */
export interface Gossip {
  setCookie?: string;
  /** Which requests it answers with 401. */
  refuses?: (headers: IncomingMessage['headers']) => boolean;
  /** Token that it issues as an OAuth server. */
  token?: string;
  tls?: TlsOptions;
  /** It answers no message before. */
  until?: Promise<void>;
}

/**
 * Creates sessions; fails two messages in three, with the received secrets in its status line, headers and bodies. It is
 * also an OAuth server, and a proxy to itself without tunnels. Runs for one test.
 */
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
      // A status line allows the same characters as a header value.
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
