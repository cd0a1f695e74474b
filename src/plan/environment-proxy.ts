import { BlockList, isIP } from 'node:net';
import { isLoopback, plainName } from './host-names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name proxies, and hosts that are reached without one; in small letters they count too, and first. */
export const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'] as const;

/** A proxy that the environment names, and the variable that does. */
export interface NamedProxy {
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
