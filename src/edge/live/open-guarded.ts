import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { guarded, type LiveGuard } from './live-guard.ts';

/** A request that may know what is served: what it asks for, and where to answer. */
export interface Asked {
  /** What stands behind the token: empty for the page itself. */
  what: string;
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Listens for requests that the guard lets through; to all others, and where `answer` gives false, nothing is there.
 * Rejects with what the system says where it cannot listen.
 */
export async function openGuarded(
  { host, port, token }: LiveGuard,
  answer: (asked: Asked) => boolean,
): Promise<{ server: Server; port: number }> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000, keepAliveTimeout: 5000 });
  server.maxConnections = 200;
  boundSilent(server);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const guard = { host, port: address.port, token };
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    const what = guarded(request, guard);
    const isAnswered = what !== undefined && answer({ what, request, response });
    if (isAnswered) return;
    response.shouldKeepAlive = false;
    endWith(response, 404, 'Not found.\n');
  });
  return { server, port: address.port };
}

/** Half of the connections that there may be. */
const mostSilent = 100;

/** Of the connections that have asked for nothing yet the oldest makes room: they lock nobody out. */
function boundSilent(server: Server): void {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    const [oldest] = silent;
    if (silent.size > mostSilent) oldest?.destroy();
  });
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket));
}

/** A token that nobody guesses. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** The address of a page, as a browser on this machine takes it. */
export function addressOf({ host, port, token }: LiveGuard): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${String(port)}/${token}/`;
}

/** Of every answer: it is kept by nobody, and read by its own page alone. */
export const guardedHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export function endWith(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { ...guardedHeaders, 'Content-Type': type }).end(text);
}

/** Ends with a page and the policy that it is under; no other page can hold it. */
export function endWithPage(
  response: ServerResponse,
  status: number,
  { html, policy }: { html: string; policy: string },
): void {
  response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors 'none'`);
  endWith(response, status, html, 'text/html; charset=utf-8');
}
