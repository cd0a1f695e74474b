import { isIP } from 'node:net';

/** Whether a host is this machine: 127.0.0.0/8, `::1` and `localhost`. A URL normalizes other notations of an address to these. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** A host without the brackets of an IPv6 literal, and without the dot that may end a name. */
export function plainName(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
