import { isIP } from 'node:net';
import type { Plan } from './plan.ts';

/** The host that a plan may not load, with its port where one was given; `undefined`: it may load its target. */
export function refusedHost({ target, allowHosts }: Pick<Plan, 'target' | 'allowHosts'>): string | undefined {
  // The embedded service is this machine's own.
  if (target.baseUrl === null) return undefined;
  const { hostname, host, port, protocol } = new URL(target.baseUrl);
  const name = plainName(hostname);
  const portThere = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  if (isLoopback(name) || allowHosts.some((pattern) => isNamedBy(pattern, name, portThere))) return undefined;
  return host;
}

/** 127.0.0.0/8, `::1` and `localhost`. A URL normalizes other notations of an address to these. */
const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));

function isNamedBy(pattern: string, name: string, port: string): boolean {
  const { host, port: only } = partsOf(pattern.toLowerCase());
  if (only !== undefined && only !== port) return false;
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) : plainName(host) === name;
}

/** A lone IPv6 literal holds colons and no port. */
function partsOf(pattern: string): { host: string; port: string | undefined } {
  if (isIP(pattern) === 6) return { host: asInUrl(pattern), port: undefined };
  const [, host = pattern, port] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  return { host: host.startsWith('[') ? asInUrl(plainName(host)) : host, port };
}

/** Without the brackets of an IPv6 literal, and without the dot that may end a name. */
const plainName = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** The notation of an IPv6 address that URLs use. */
const asInUrl = (address: string): string =>
  isIP(address) === 6 ? plainName(new URL(`http://[${address}]`).hostname) : address;
