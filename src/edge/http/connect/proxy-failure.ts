import type { ProxyServer } from '../../../base/proxy-server.ts';
import { ConnectError, describeConnectFailure, type ConnectFailure } from './connect-failure.ts';

// Failures on the way through a proxy. Each names the proxy, and may contain raw text of the other side.

/** Describes a connection to the proxy itself that failed. A lack of this process is reported as it is. */
export function proxyUnreachable(server: ProxyServer, error: unknown): ConnectError {
  const { host, port, scheme, name } = server;
  const place = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  const failure = describeConnectFailure(error, place);
  if (failure.lack !== undefined) return new ConnectError(failure);
  const own = scheme === 'https' ? '; write http:// before a proxy that does not speak TLS itself' : '';
  return new ConnectError({
    what: `the proxy ${name} cannot be reached: ${failure.what}`,
    remedy: `is it running, and is its URL in --proxy, CHAT_LOAD_PROXY or the environment right?${own}`,
  });
}

/** Describes a proxy that was reached and is silent. `awaited`: the pending request. */
export function proxySilent({ name }: ProxyServer, awaited: string, timeoutMs: number): ConnectFailure {
  return {
    what: `the proxy ${name} did not answer ${awaited} within ${String(timeoutMs)} ms`,
    remedy: 'does the proxy reach the target? A longer connect timeout helps a slow network',
  };
}

export function proxyLeft(server: ProxyServer, awaited: string, how = 'closed the connection'): ConnectError {
  return new ConnectError({
    what: `the proxy ${server.name} ${how} before it answered ${awaited}`,
    remedy: kindRemedy(server),
    mayForward: true,
  });
}

/** Describes an answer that is not from such a proxy. */
export function noProxy(server: ProxyServer, said: string): ConnectError {
  const kind = isSocks(server) ? 'a SOCKS5 proxy' : 'an HTTP proxy';
  return new ConnectError({ what: `${server.name} is not ${kind}`, said, remedy: kindRemedy(server) });
}

/**
 * Describes missing or wrong credentials: 407 of HTTP, or 401; the refusal of a SOCKS5 proxy has no status. `schemes`:
 * the accepted ones, as far as the proxy lists them.
 */
export function proxyUnauthorized(
  server: ProxyServer,
  { status, schemes = [] }: { status?: string; schemes?: readonly string[] } = {},
): ConnectError {
  const { name, credentials } = server;
  const refused = (why: string): string =>
    `the proxy ${name} refused${status === undefined ? `: ${why}` : ` (${status}: ${why})`}`;
  const others = schemes.filter((scheme) => scheme !== '');
  if (others.length > 0 && !others.some((scheme) => scheme.toLowerCase() === 'basic'))
    return new ConnectError({
      what: refused(`it takes ${others.join(', ')} alone`),
      remedy: 'chat-load authorizes at proxies with Basic: have the proxy take that, or let this host through',
    });
  return credentials === undefined
    ? new ConnectError({
        what: refused('it asks for credentials'),
        remedy: `give them in --proxy or CHAT_LOAD_PROXY: ${name.replace('://', '://USER:PASSWORD@')}`,
      })
    : new ConnectError({
        what: refused('it does not take the user and password given'),
        remedy:
          'look at the user and password in --proxy or CHAT_LOAD_PROXY; special characters are escaped there as in every URL',
      });
}

/** Describes a proxy that refuses the tunnel to the target with a status. */
export function tunnelRefused(
  { name }: ProxyServer,
  place: string,
  { status, reason }: { status: number; reason: string },
): ConnectError {
  const what = `the proxy ${name} does not connect to ${place} (${[String(status), reason].join(' ').trim()})`;
  if (status >= 500 && status !== 501)
    return new ConnectError({ what, remedy: 'is the target up, and does the proxy reach it?' });
  const remedy =
    status === 403
      ? 'does the proxy allow this host and port? Many allow CONNECT to port 443 alone'
      : 'is it a proxy, and not a web server? Does it allow CONNECT to this host and port?';
  return new ConnectError({ what, remedy, mayForward: true });
}

/** Describes any other refusal of a SOCKS5 proxy. */
export function socksRefused({ name }: ProxyServer, place: string, why: string): ConnectError {
  return new ConnectError({
    what: `the proxy ${name} does not connect to ${place}: ${why}`,
    remedy: 'is the target up, and does the proxy reach it and allow its host and port?',
  });
}

const isSocks = ({ scheme }: ProxyServer): boolean => scheme.startsWith('socks');

const kindRemedy = (server: ProxyServer): string =>
  isSocks(server)
    ? 'is it a SOCKS5 proxy? Before an HTTP proxy write http://, before one that speaks TLS itself https://'
    : 'is it an HTTP proxy? Before a SOCKS5 proxy write socks5://, before one that speaks TLS itself https://';
