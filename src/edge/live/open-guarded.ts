import { randomBytes, createHash, timingSafeEqual } from 'node:crypto';
import type { Server, ServerResponse, IncomingMessage } from 'node:http';
import { openSmallServer, reachableHost, type Exchange } from '../small-server.ts';

/** An authorized request. */
interface GuardedExchange extends Exchange {
  /** Path after the token: empty for the page itself. */
  resource: string;
}

/**
 * Listens for authorized requests; all others, and those for which `answer` returns false, get 404. Rejects with the error
 * of the system if it cannot listen.
 */
export async function openGuarded(
  { host, port, token }: LiveGuard,
  answer: (exchange: GuardedExchange) => boolean | Promise<boolean>,
): Promise<{ server: Server; port: number }> {
  const opened = await openSmallServer({
    host,
    port,
    answer: async (exchange) => {
      const resource = guarded(exchange.request, { port: opened.port, token });
      if (resource === undefined || !(await answer({ resource, ...exchange }))) notFound(exchange.response);
    },
    refuse: notFound,
  });
  return opened;
}

function notFound(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  endWith(response, 404, 'Not found.\n');
}

/** Creates a token that cannot be guessed. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Returns the address of a page for a browser on this machine. */
export function addressOf({ host, port, token }: LiveGuard): string {
  return `http://${reachableHost(host)}:${String(port)}/${token}/`;
}

/** Headers of every response: it is not cached, and only its own page can read it. */
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

/** Ends with a page and its content security policy; no other page can embed it. */
export function endWithPage(
  response: ServerResponse,
  status: number,
  { html, policy }: { html: string; policy: string },
): void {
  response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors 'none'`);
  endWith(response, status, html, 'text/html; charset=utf-8');
}

export interface LiveGuard {
  /** Part of the page's address; whoever knows it may watch and stop the run. */
  token: string;
  /** The host to listen on. */
  host: string;
  port: number;
}

/**
 * Returns the resource that a request asks for: `events`, `drain`, `cut`, or empty for the page itself; `undefined` if
 * the token or the port is not the page's own.
 */
function guarded(
  { url = '', headers: { host = '' } }: Pick<IncomingMessage, 'url' | 'headers'>,
  { token: own, port }: Omit<LiveGuard, 'host'>,
): string | undefined {
  if (!host.endsWith(`:${String(port)}`)) return undefined;
  const [, token = '', resource, ...rest] = url.split('/');
  return isSame(token, own) && rest.length === 0 ? resource : undefined;
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
