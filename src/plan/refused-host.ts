import { isIP } from 'node:net';
import { isLoopback, plainName } from './host-names.ts';
import { readResolveEntry } from '../scenario/resolve-entry.ts';
import type { Plan } from './plan.ts';

interface RefusablePlan extends Pick<Plan, 'allowHosts'> {
  target: Pick<Plan['target'], 'baseUrl' | 'unixSocket' | 'resolve'>;
}

/** The host that a plan may not load, with its port where one was given; `undefined`: it may load its target. */
export function refusedHost({ target, allowHosts }: RefusablePlan): string | undefined {
  // The embedded service is this machine's own, and so is whoever listens on a Unix socket.
  if (target.baseUrl === null || target.unixSocket !== null) return undefined;
  const { hostname, host, port, protocol } = new URL(target.baseUrl);
  const name = plainName(hostname);
  const portThere = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const isAllowed = (each: string): boolean => allowHosts.some((pattern) => isNamedBy(pattern, each, portThere));
  if (isAllowed(name)) return undefined;
  if (!isLoopback(name)) return host;
  // What stands in for a name of this machine may be elsewhere.
  const astray = (target.resolve ?? []).flatMap((text) => {
    const read = readResolveEntry(text);
    if (!('host' in read) || read.host !== name || String(read.port) !== portThere) return [];
    return isLoopback(read.address) || isAllowed(read.address) ? [] : [read.address];
  });
  return astray[0];
}

/** Reports whether a pattern of a host names this one. `usual`: the only port of a pattern without one; none: any port. */
export function isNamedBy(pattern: string, name: string, port: string, usual?: string): boolean {
  const { host, port: only = usual } = partsOf(pattern.toLowerCase());
  if (only !== undefined && only !== port) return false;
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) : plainName(host) === name;
}

/** A lone IPv6 literal holds colons and no port. */
function partsOf(pattern: string): { host: string; port: string | undefined } {
  if (isIP(pattern) === 6) return { host: asInUrl(pattern), port: undefined };
  const [, host = pattern, port] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  return { host: host.startsWith('[') ? asInUrl(plainName(host)) : host, port };
}

/** The notation of an IPv6 address that URLs use. */
const asInUrl = (address: string): string =>
  isIP(address) === 6 ? plainName(new URL(`http://[${address}]`).hostname) : address;
