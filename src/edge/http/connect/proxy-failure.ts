import type { ProxyServer } from '../../../base/proxy-server.ts';
import { ConnectError, describeConnectFailure, type ConnectFailure } from './connect-failure.ts';

// Failures on the way through a proxy. Each names the proxy, and may contain raw text of the other side.

/** Describes a failed connection to the proxy itself. A shortage of resources in this process is reported as such. */
export function proxyUnreachable(server: ProxyServer, error: unknown): ConnectError {
  const { host, port, scheme, name } = server;
  const place = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  const failure = describeConnectFailure(error, place);
  if (failure.lack !== undefined) return new ConnectError(failure);
  const own = scheme === 'https' ? '; start its URL with http:// if the proxy itself does not use TLS' : '';
  return new ConnectError({
    what: `the proxy ${name} cannot be reached: ${failure.what}`,
    remedy: `check that it is running and that its URL in --proxy, CHAT_LOAD_PROXY or the environment is correct${own}`,
  });
}

/** Describes a proxy that was reached and is silent. `awaited`: the pending request. */
export function proxySilent({ name }: ProxyServer, awaited: string, timeoutMs: number): ConnectFailure {
  return {
    what: `the proxy ${name} did not answer ${awaited} within ${String(timeoutMs)} ms`,
    remedy: 'check that the proxy reaches the target; on a slow network, raise the connect timeout',
  };
}

export function proxyLeft(server: ProxyServer, awaited: string, how = 'closed the connection'): ConnectError {
  return new ConnectError({
    what: `the proxy ${server.name} ${how} before it answered ${awaited}`,
    remedy: kindRemedy(server),
    mayForward: true,
  });
}

/** Describes an answer that is not from a proxy of this kind. */
export function noProxy(server: ProxyServer, answer: string): ConnectError {
  const kind = isSocks(server) ? 'a SOCKS5 proxy' : 'an HTTP proxy';
  return new ConnectError({ what: `${server.name} is not ${kind}`, answer, remedy: kindRemedy(server) });
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
      what: refused(`it supports only ${others.join(', ')}`),
      remedy:
        'chat-load authenticates to proxies with Basic: enable it in the proxy, or allow this host without authentication',
    });
  return credentials === undefined
    ? new ConnectError({
        what: refused('it asks for credentials'),
        remedy: `set them in --proxy or CHAT_LOAD_PROXY: ${name.replace('://', '://USER:PASSWORD@')}`,
      })
    : new ConnectError({
        what: refused('it rejected the user and password'),
        remedy: 'check the user and password in --proxy or CHAT_LOAD_PROXY; special characters must be percent-encoded',
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
    return new ConnectError({ what, remedy: 'check that the target is up and that the proxy reaches it' });
  const remedy =
    status === 403
      ? 'check that the proxy allows this host and port; many allow CONNECT only to port 443'
      : 'check that it is a proxy, not a web server, and that it allows CONNECT to this host and port';
  return new ConnectError({ what, remedy, mayForward: true });
}

/** Describes any other refusal of a SOCKS5 proxy. */
export function socksRefused({ name }: ProxyServer, place: string, why: string): ConnectError {
  return new ConnectError({
    what: `the proxy ${name} does not connect to ${place}: ${why}`,
    remedy: 'check that the target is up and that the proxy reaches it and allows its host and port',
  });
}

const isSocks = ({ scheme }: ProxyServer): boolean => scheme.startsWith('socks');

const kindRemedy = (server: ProxyServer): string =>
  isSocks(server)
    ? 'check that it is a SOCKS5 proxy; the URL of an HTTP proxy starts with http://, or with https:// if the proxy itself uses TLS'
    : 'check that it is an HTTP proxy; the URL of a SOCKS5 proxy starts with socks5://, the URL of a proxy that itself uses TLS with https://';
