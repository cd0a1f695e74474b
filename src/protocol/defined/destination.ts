import type { ProtocolTarget } from '../protocol.ts';
import { statusPath } from './poller.ts';

/** Target of a definition, and the other origins that its requests may go to. */
export type Reach = Pick<ProtocolTarget, 'baseUrl' | 'mayReach'>;

/** Destination of a request: a path below the base URL, or a path at an origin. */
export interface Destination {
  readonly path: string;
  /** `undefined`: the base URL precedes the path. */
  readonly origin: string | undefined;
  /** True if it is not the origin of the target: no credentials are sent there. */
  readonly isForeign: boolean;
}

/** Returns the destination of a URL or a path, or the reason why nothing may be sent there. */
export function destinationOf(given: string, { baseUrl, mayReach }: Reach): Destination | { refused: string } {
  const below = statusPath(baseUrl, given);
  if (below !== undefined) return { path: below, origin: undefined, isForeign: false };
  const base = new URL(baseUrl ?? 'http://embedded');
  if (!URL.canParse(given, base.href)) return { refused: 'returned a URL that cannot be parsed' };
  const url = new URL(given, base.href);
  if (url.username !== '' || url.password !== '')
    return { refused: 'returned a URL with a user name or a password: state them in a header field' };
  const [path, { origin }] = [url.pathname + url.search, url];
  if (origin === base.origin) return { path, origin, isForeign: false };
  if (!/^https?:$/.test(url.protocol))
    return { refused: `returned a URL of the scheme ${url.protocol.slice(0, maxScheme)}: return one of http or https` };
  if (mayReach?.(url) === true) return { path, origin, isForeign: true };
  return {
    refused: `returned a URL of ${url.host}, which is neither the target nor an allowed host: if you may load it, allow it with --allow-host ${url.host}; otherwise return a URL of the target, or correct --base-url`,
  };
}

const maxScheme = 20;

/** Returns the URL of an upgrade with the scheme of its HTTP request. */
export function asHttp(url: string): string {
  return url.replace(/^ws(?=s?:)/i, 'http');
}
