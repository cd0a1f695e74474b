import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

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
export function guarded(
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
