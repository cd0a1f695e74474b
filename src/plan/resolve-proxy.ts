import { ChatLoadError, messageOf } from '../base/errors.ts';
import { basicCredentials, readProxyServer, type ProxyServer } from '../base/proxy-server.ts';
import type { Secrets } from '../base/secrets.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import { noProxy } from '../scenario/connection-options.ts';
import type { Surroundings } from './overlay.ts';
import { BlockList, isIP } from 'node:net';
import { isLoopback, originOf, plainName } from './host-names.ts';

/**
 * Returns the proxy for requests: the configured one, otherwise that of the environment, which does not apply to the
 * embedded service, this machine and Unix sockets. Throws a usage error for a variable that is not a proxy URL.
 */
export function resolveProxy(
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
      hint: `Nothing was sent. Change ${named.variable}, or use --proxy none to connect directly.`,
      cause,
    });
  }
}

/** Returns the proxy for the OAuth server, which has another address. An http token URL is on this machine, and no proxy may see its secret. */
export function resolveTokenProxy(
  { proxy, auth }: Pick<ReadScenario['target'], 'proxy' | 'auth'>,
  around: Pick<Surroundings, 'environment'>,
): ProxyServer | undefined {
  const baseUrl = auth === undefined || auth === 'none' ? undefined : auth.oauth?.tokenUrl;
  if (baseUrl === undefined || new URL(baseUrl).protocol === 'http:') return undefined;
  return resolveProxy({ proxy, baseUrl, unixSocket: undefined }, around);
}

/** Registers proxy credentials as secrets, which are never written. */
export function keepCredentials(secrets: Secrets, proxy: ProxyServer | undefined): void {
  if (proxy?.credentials === undefined) return;
  secrets.settle(proxy.credentials.password);
  secrets.settle(basicCredentials(proxy.credentials).replace('Basic ', ''));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with proxies, and with hosts that are reached without one; lower-case names take precedence. */
export const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'] as const;

/** A proxy from the environment, and its variable. */
interface NamedProxy {
  url: string;
  variable: string;
}

/**
 * Returns the environment's proxy for a target, with the rules of curl and Go; `undefined`: none. This machine is
 * reached directly: a remote proxy would resolve `localhost` to itself.
 */
export function environmentProxy(baseUrl: URL, environment: Environment): NamedProxy | undefined {
  const { scheme, name: host, port } = originOf(baseUrl);
  if (isLoopback(host)) return undefined;
  const named =
    namedBy(scheme === 'https' ? 'HTTPS_PROXY' : 'HTTP_PROXY', environment) ?? namedBy('ALL_PROXY', environment);
  if (named === undefined) return undefined;
  const exempt = namedBy('NO_PROXY', environment)?.url ?? '';
  return exempt.split(/[,\s]+/).some((entry) => isExempt(entry.toLowerCase(), host, port)) ? undefined : named;
}

function namedBy(variable: (typeof proxyVariables)[number], environment: Environment): NamedProxy | undefined {
  const name = [variable.toLowerCase(), variable].find((each) => (environment[each] ?? '') !== '');
  return name === undefined ? undefined : { url: environment[name] ?? '', variable: name };
}

/**
 * Reports whether a `NO_PROXY` entry matches. `*` is every host, a name that host and its subdomains, `.name` and
 * `*.name` likewise, an address itself, and a prefix the addresses in it; a port limits the entry to that port.
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

/** Reports whether a host is in an address prefix; an invalid prefix matches nothing. */
function isInPrefix(entry: string, host: string): boolean {
  const [, network = '', length = ''] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  const family = isIP(plainName(network));
  if (family === 0 || isIP(host) !== family || Number(length) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(plainName(network), Number(length), type);
  return list.check(host, type);
}
