import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** What guards a live page. */
export interface LiveGuard {
  /** In the address of the page; whoever knows it may watch and stop the run. */
  token: string;
  /** The host that it was told to listen on. */
  host: string;
  port: number;
}

/**
 * What a request asks of the live page: `events`, `drain`, `cut`, or empty for the page itself. `undefined`: it may not
 * know that there is one. A page elsewhere cannot get here under a name that it has pointed at this machine (DNS
 * rebinding): the request must name the address that is listened on, and come from nowhere or from the page itself.
 */
export function guarded(
  { url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  guard: LiveGuard,
): string | undefined {
  const { host, origin } = headers;
  if (host === undefined || !isOwnHost(host, guard)) return undefined;
  if (origin !== undefined && origin !== `http://${host}`) return undefined;
  const [, token = '', what, ...rest] = url.split('/');
  if (!isSame(token, guard.token) || what === undefined || rest.length > 0) return undefined;
  return what;
}

/** An address is no name, which somebody else could have pointed here. */
function isOwnHost(given: string, { host, port }: LiveGuard): boolean {
  const at = given.lastIndexOf(':');
  if (given.slice(at + 1) !== String(port)) return false;
  const name = given
    .slice(0, at)
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  const isLoopback = name === 'localhost' || name === '::1' || name.startsWith('127.');
  if (host === '0.0.0.0' || host === '::') return name === 'localhost' || isIP(name) > 0;
  return (
    name === host.toLowerCase() || (isLoopbackHost(host) && isLoopback && (name === 'localhost' || isIP(name) > 0))
  );
}

/** Whether only this machine can reach what listens on a host. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** In a time that does not depend on how much of it is right. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
