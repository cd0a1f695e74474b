import { isIP } from 'node:net';
import { isLoopback, plainName } from './host-names.ts';
import type { Plan } from './plan.ts';

interface RefusablePlan extends Pick<Plan, 'allowHosts'> {
  target: Pick<Plan['target'], 'baseUrl' | 'unixSocket'>;
}

/** The host that a plan may not load, with its port where one was given; `undefined`: it may load its target. */
export function refusedHost({ target, allowHosts }: RefusablePlan): string | undefined {
  // The embedded service is this machine's own, and so is whoever listens on a Unix socket.
  if (target.baseUrl === null || target.unixSocket !== null) return undefined;
  const { hostname, host, port, protocol } = new URL(target.baseUrl);
  const name = plainName(hostname);
  const portThere = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  if (isLoopback(name) || allowHosts.some((pattern) => isNamedBy(pattern, name, portThere))) return undefined;
  return host;
}

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

/** The notation of an IPv6 address that URLs use. */
const asInUrl = (address: string): string =>
  isIP(address) === 6 ? plainName(new URL(`http://[${address}]`).hostname) : address;
