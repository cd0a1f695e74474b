import { lookup as lookUpName } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { lackingDescriptors } from './lacking-descriptors.ts';

type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
/** As `dns.lookup` does it. */
export type LookUpAll = (host: string, options: LookupOptions & { all: true }, found: LookupCallback) => void;

/**
 * Looks a host up once for all connections that are being opened at that moment: Node does four look-ups at a time, and
 * the connections of a thousand sessions would otherwise queue for them, and the wait would count as connecting. Nothing is remembered
 * beyond that. For one host; where it has several addresses, connections begin with each of them in turn.
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

/** Addresses of the preferred family, beginning with another one at every turn, and the others behind them. */
const turnBy = (addresses: readonly LookupAddress[], turn: number): LookupAddress[] => {
  const isPreferred = ({ family }: LookupAddress): boolean => family === addresses[0]?.family;
  const preferred = addresses.filter(isPreferred);
  const start = turn % Math.max(1, preferred.length);
  return [...preferred.slice(start), ...preferred.slice(0, start), ...addresses.filter((each) => !isPreferred(each))];
};

const unknownHost = (host: string): Error => Object.assign(new Error(`no address for ${host}`), { code: 'ENOTFOUND' });
