import { isIP } from 'node:net';
import { readResolveEntry } from '../../../scenario/resolve-entry.ts';
import type { LookUpAll } from './shared-lookup.ts';

/** The addresses that `host:port:address` entries give a host and port; none: it is looked up. */
export function pinnedAddresses(
  entries: readonly string[],
  { host, port }: { host: string; port: number },
): readonly string[] {
  const name = host.toLowerCase().replace(/\.$/, '');
  return entries.flatMap((text) => {
    const read = readResolveEntry(text);
    return 'host' in read && read.host === name && read.port === port ? [read.address] : [];
  });
}

/** Looks nothing up: gives those addresses, of the family that is asked for. */
export function lookUpPinned(addresses: readonly string[]): LookUpAll {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { family }, found) => {
    const fitting = all.filter((each) => (family !== 4 && family !== 6 ? true : each.family === family));
    process.nextTick(() => found(null, fitting));
  };
}
