import { randomBytes, createHash, timingSafeEqual } from 'node:crypto';
import type { Server, ServerResponse, IncomingMessage } from 'node:http';
import { openSmallServer, reachableHost, type Exchange } from '../small-server.ts';

/** A request that may know what is served: what it asks for, and where to answer. */
export interface Asked extends Exchange {
  /** What stands behind the token: empty for the page itself. */
  what: string;
}

/**
 * Listens for requests that the guard lets through; to all others, and where `answer` gives false, nothing is there.
 * Rejects with what the system says where it cannot listen.
 */
export async function openGuarded(
  { host, port, token }: LiveGuard,
  answer: (asked: Asked) => boolean | Promise<boolean>,
): Promise<{ server: Server; port: number }> {
  const opened = await openSmallServer({
    host,
    port,
    answer: async (exchange) => {
      const what = guarded(exchange.request, { port: opened.port, token });
      if (what === undefined || !(await answer({ what, ...exchange }))) notFound(exchange.response);
    },
    refuse: notFound,
  });
  return opened;
}

function notFound(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  endWith(response, 404, 'Not found.\n');
}

/** A token that nobody guesses. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** The address of a page, as a browser on this machine takes it. */
export function addressOf({ host, port, token }: LiveGuard): string {
  return `http://${reachableHost(host)}:${String(port)}/${token}/`;
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

/** What guards a live page. */
export interface LiveGuard {
  /** In the address of the page; whoever knows it may watch and stop the run. */
  token: string;
  /** The host that it was told to listen on. */
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
  const [, token = '', what, ...rest] = url.split('/');
  if (!isSame(token, own) || what === undefined || rest.length > 0) return undefined;
  return what;
}

/** In a time that does not depend on how much of it is right. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
