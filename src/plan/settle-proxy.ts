import { ChatLoadError, messageOf } from '../base/errors.ts';
import { basicCredentials, readProxyServer, type ProxyServer } from '../base/proxy-server.ts';
import type { Secrets } from '../base/secrets.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import { noProxy } from '../scenario/way-options.ts';
import type { Surroundings } from './overlay.ts';
import { BlockList, isIP } from 'node:net';
import { isLoopback, plainName } from './host-names.ts';

/**
 * The proxy that requests go through: the one that is asked for, else that of the environment, which is not for the
 * embedded service, this machine and Unix sockets. Throws a usage error for a variable that names none.
 */
export function settleProxy(
  { proxy, baseUrl, unixSocket }: Pick<ReadScenario['target'], 'proxy' | 'baseUrl' | 'unixSocket'>,
  { environment }: Pick<Surroundings, 'environment'>,
): ProxyServer | undefined {
  if (proxy !== undefined) return proxy === noProxy ? undefined : readProxyServer(proxy);
  if (baseUrl === undefined || unixSocket !== undefined) return undefined;
  const named = environmentProxy(new URL(baseUrl), environment);
  if (named === undefined) return undefined;
  try {
    return readProxyServer(named.url);
  } catch (cause) {
    throw new ChatLoadError('usage', {
      message: `the proxy in ${named.variable} cannot be used: ${messageOf(cause)}`,
      hint: `Nothing was sent. Change ${named.variable}, or go without a proxy: --proxy none.`,
      cause,
    });
  }
}

/** The same for the OAuth server of its tokens, which is at another address. With http it is this machine, and no proxy is to see the secret. */
export function settleTokenProxy(
  { proxy, auth }: Pick<ReadScenario['target'], 'proxy' | 'auth'>,
  around: Pick<Surroundings, 'environment'>,
): ProxyServer | undefined {
  const baseUrl = auth === undefined || auth === 'none' ? undefined : auth.oauth?.tokenUrl;
  if (baseUrl === undefined || new URL(baseUrl).protocol === 'http:') return undefined;
  return settleProxy({ proxy, baseUrl, unixSocket: undefined }, around);
}

/** Keeps what authorizes at a proxy out of everything that is written. */
export function keepCredentials(secrets: Secrets, proxy: ProxyServer | undefined): void {
  if (proxy?.credentials === undefined) return;
  secrets.settle(proxy.credentials.password);
  secrets.settle(basicCredentials(proxy.credentials).replace('Basic ', ''));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name proxies, and hosts that are reached without one; in small letters they count too, and first. */
export const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'] as const;

/** A proxy that the environment names, and the variable that does. */
interface NamedProxy {
  url: string;
  variable: string;
}

/**
 * The proxy of the environment for a target, as curl and Go have it; `undefined`: none. This machine is reached without
 * one: a proxy elsewhere would take `localhost` for itself.
 */
export function environmentProxy(baseUrl: URL, environment: Environment): NamedProxy | undefined {
  const host = plainName(baseUrl.hostname);
  if (isLoopback(host)) return undefined;
  const named =
    namedBy(baseUrl.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', environment) ??
    namedBy('ALL_PROXY', environment);
  if (named === undefined) return undefined;
  const port = baseUrl.port === '' ? (baseUrl.protocol === 'https:' ? '443' : '80') : baseUrl.port;
  const exempt = namedBy('NO_PROXY', environment)?.url ?? '';
  return exempt.split(/[,\s]+/).some((entry) => isExempt(entry.toLowerCase(), host, port)) ? undefined : named;
}

function namedBy(variable: (typeof proxyVariables)[number], environment: Environment): NamedProxy | undefined {
  const name = [variable.toLowerCase(), variable].find((each) => (environment[each] ?? '') !== '');
  return name === undefined ? undefined : { url: environment[name] ?? '', variable: name };
}

/**
 * `*` is every host, a name that host and those below it, `.name` and `*.name` those below it alone, an address itself,
 * and a prefix the addresses in it; a port after it limits it to that one.
 */
function isExempt(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  if (entry.includes('/')) return isInPrefix(entry, host);
  const { name, only } = partsOf(entry);
  if (only !== undefined && only !== port) return false;
  if (isIP(name) !== 0) return isInPrefix(`${name}/${isIP(name) === 4 ? '32' : '128'}`, host);
  const below = name.replace(/^\*?\./, '');
  return host.endsWith(`.${below}`) || host === name;
}

function partsOf(entry: string): { name: string; only: string | undefined } {
  if (isIP(entry) !== 0) return { name: entry, only: undefined };
  const [, name = entry, only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return { name: plainName(name), only };
}

/** What is no prefix holds nothing. */
function isInPrefix(entry: string, host: string): boolean {
  const [, network = '', length = ''] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  const family = isIP(plainName(network));
  if (family === 0 || isIP(host) !== family || Number(length) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(plainName(network), Number(length), type);
  return list.check(host, type);
}
