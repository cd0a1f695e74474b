import { lookup as lookUpName, type LookupAddress, type LookupOptions } from 'node:dns';
import { type LookupFunction, isIP } from 'node:net';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { readResolveEntry } from '../../../scenario/resolve-entry.ts';

/** Maximum number of descriptors of one lookup: the hosts file or a socket to a DNS server, and its configuration. */
const neededForLookup = 3;

/**
 * Returns the error of a process, or a machine, that has too few file descriptors left to look up a name, otherwise
 * `undefined`. The system reports it as a name that does not exist.
 */
function lackingDescriptors(): Error | undefined {
  const opened: number[] = [];
  try {
    while (opened.length < neededForLookup) opened.push(openSync(devNull, 'r'));
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && /^E[MN]FILE$/.test(String(thrown.code)) ? thrown : undefined;
  } finally {
    opened.forEach(closeSync);
  }
}

type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
export type LookUpAll = (host: string, options: LookupOptions & { all: true }, found: LookupCallback) => void;

/**
 * Looks a host up once for all connections that are being opened at that moment: Node performs four lookups at a time,
 * so the connections of a thousand sessions would otherwise queue, and that wait would count as connecting. Nothing is
 * cached beyond that. Connections begin with each of several addresses in turn.
 */
export function shareLookup(lookUp: LookUpAll = lookUpName): LookupFunction {
  let waiting: LookupCallback[] = [];
  let turn = 0;
  return (host, options, callback) => {
    waiting.push((error, addresses) => {
      const inTurn = turnBy(addresses, turn++);
      const [first] = inTurn;
      if (first === undefined) callback(error ?? unknownHost(host), []);
      else if (options.all === true) callback(null, inTurn);
      else callback(null, first.address, first.family);
    });
    if (waiting.length > 1) return;
    lookUp(host, { ...options, all: true }, (error, addresses) => {
      const found = waiting;
      waiting = [];
      const failure = error === null ? null : (lackingDescriptors() ?? error);
      for (const answer of found) answer(failure, failure === null ? addresses : []);
    });
  };
}

/** Returns the addresses of the preferred family, starting with a different one each time, then the others. */
const turnBy = (addresses: readonly LookupAddress[], turn: number): LookupAddress[] => {
  const isPreferred = ({ family }: LookupAddress): boolean => family === addresses[0]?.family;
  const preferred = addresses.filter(isPreferred);
  const start = turn % Math.max(1, preferred.length);
  return [...preferred.slice(start), ...preferred.slice(0, start), ...addresses.filter((each) => !isPreferred(each))];
};

const unknownHost = (host: string): Error => Object.assign(new Error(`no address for ${host}`), { code: 'ENOTFOUND' });

/**
 * Returns the addresses of a host and port in `host:port:address` entries; if there are none, the host is looked up.
 */
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

/** Returns a lookup that answers with these addresses, of the requested family. */
export function lookUpPinned(addresses: readonly string[]): LookUpAll {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { family }, found) => {
    const matching = all.filter((each) => (family !== 4 && family !== 6) || each.family === family);
    process.nextTick(() => found(null, matching));
  };
}
