import type { ProxyServer } from '../../../base/proxy-server.ts';
import {
  ConnectError,
  describeConnectFailure,
  describeConnectTimeout,
  type ConnectFailure,
} from './connect-failure.ts';

/** A failure on the way through a proxy, which names it. May contain raw text of the other side. */
export class ProxyFailure extends ConnectError {}

/** No connection to the proxy itself. `place` is its host and port. What this process lacks is said as it is. */
export function proxyUnreachable(server: ProxyServer, error: unknown): ProxyFailure {
  const failure = describeConnectFailure(error, placeOf(server));
  if (failure.lack !== undefined) return new ProxyFailure(failure);
  const own = server.scheme === 'https' ? '; write http:// before a proxy that does not speak TLS itself' : '';
  return new ProxyFailure({
    what: `the proxy ${server.name} cannot be reached: ${failure.what}`,
    remedy: `is it running, and is its URL in --proxy, CHAT_LOAD_PROXY or the environment right?${own}`,
  });
}

/** The same for a connection that was not made in time. */
export function proxyUnreached(server: ProxyServer, timeoutMs: number): ConnectFailure {
  const { what, remedy } = describeConnectTimeout(timeoutMs, `the proxy ${server.name}`);
  return { what, remedy };
}

/** It was reached and is silent. `awaited` is what it was asked for. */
export function proxySilent(server: ProxyServer, awaited: string, timeoutMs: number): ConnectFailure {
  return {
    what: `the proxy ${server.name} did not answer ${awaited} within ${String(timeoutMs)} ms`,
    remedy: 'does the proxy reach the target? A longer connect timeout helps a slow network',
  };
}

/** It broke off. */
export function proxyLeft(server: ProxyServer, awaited: string, how = 'closed the connection'): ProxyFailure {
  return new ProxyFailure({
    what: `the proxy ${server.name} ${how} before it answered ${awaited}`,
    remedy: whatItIs(server),
    mayForward: true,
  });
}

/** It said something that no such proxy says. */
export function noProxy(server: ProxyServer, said: string): ProxyFailure {
  const kind = server.scheme.startsWith('socks') ? 'a SOCKS5 proxy' : 'an HTTP proxy';
  return new ProxyFailure({
    what: `${server.name} is not ${kind}`,
    said,
    remedy: whatItIs(server),
  });
}

/** It asks for credentials, or takes others (407 of HTTP, or 401). `schemes` are those that it takes, as far as it says. */
export function proxyUnauthorized(
  server: ProxyServer,
  { status = '407', schemes = [] }: { status?: string; schemes?: readonly string[] } = {},
): ProxyFailure {
  const others = schemes.filter((scheme) => scheme !== '');
  const speaksBasic = others.length === 0 || others.some((scheme) => scheme.toLowerCase() === 'basic');
  const known = server.credentials !== undefined;
  if (!speaksBasic)
    return new ProxyFailure({
      what: `the proxy ${server.name} refused (${status}: it takes ${others.join(', ')} alone)`,
      remedy: 'chat-load authorizes at proxies with Basic: have the proxy take that, or let this host through',
    });
  return new ProxyFailure({
    what: `the proxy ${server.name} refused (${status}: ${known ? 'it does not take the user and password given' : 'it asks for credentials'})`,
    remedy: known ? lookAtCredentials : giveCredentials(server),
  });
}

/** It makes no tunnel to the target, and says why with a status. */
export function tunnelRefused(
  server: ProxyServer,
  place: string,
  answer: { status: number; reason: string },
): ProxyFailure {
  const { status, reason } = answer;
  const what = `the proxy ${server.name} does not connect to ${place} (${[String(status), reason].join(' ').trim()})`;
  if (status >= 500 && status !== 501)
    return new ProxyFailure({ what, remedy: 'is the target up, and does the proxy reach it?' });
  const remedy =
    status === 403
      ? 'does the proxy allow this host and port? Many allow CONNECT to port 443 alone'
      : 'is it a proxy, and not a web server? Does it allow CONNECT to this host and port?';
  return new ProxyFailure({ what, remedy, mayForward: true });
}

/** A SOCKS5 proxy took neither no credentials nor those given. */
export function socksUnauthorized(server: ProxyServer): ProxyFailure {
  const known = server.credentials !== undefined;
  return new ProxyFailure({
    what: `the proxy ${server.name} refused: ${known ? 'it does not take the user and password given' : 'it asks for credentials'}`,
    remedy: known ? lookAtCredentials : giveCredentials(server),
  });
}

/** What remains to be said of a failing SOCKS5 proxy. */
export function socksRefused(server: ProxyServer, place: string, why: string): ProxyFailure {
  return new ProxyFailure({
    what: `the proxy ${server.name} does not connect to ${place}: ${why}`,
    remedy: 'is the target up, and does the proxy reach it and allow its host and port?',
  });
}

const placeOf = ({ host, port }: ProxyServer): string => `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;

const whatItIs = ({ scheme }: ProxyServer): string =>
  scheme.startsWith('socks')
    ? 'is it a SOCKS5 proxy? Before an HTTP proxy write http://, before one that speaks TLS itself https://'
    : 'is it an HTTP proxy? Before a SOCKS5 proxy write socks5://, before one that speaks TLS itself https://';

const lookAtCredentials =
  'look at the user and password in --proxy or CHAT_LOAD_PROXY; special characters are escaped there as in every URL';

const giveCredentials = ({ name }: ProxyServer): string =>
  `give them in --proxy or CHAT_LOAD_PROXY: ${name.replace('://', '://USER:PASSWORD@')}`;
