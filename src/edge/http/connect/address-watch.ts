import { lookup as lookUpName } from 'node:dns';
import { later, type Clock, type Ms } from '../../../base/time.ts';
import type { LookUpAll } from './shared-lookup.ts';

interface Watched {
  host: string;
  refreshMs: Ms;
  clock: Clock;
  found: (addresses: ReadonlySet<string>) => void;
  lookUp?: LookUpAll | undefined;
}

/** Looks a host up periodically, once it is started. A failed lookup changes nothing. */
export function watchAddresses({ host, refreshMs, clock, found, lookUp = lookUpName }: Watched): AddressWatch {
  let cancel: (() => void) | undefined;
  let isStopped = false;
  const refresh = (): void =>
    lookUp(host, { all: true }, (error, addresses) => {
      if (isStopped) return;
      if (error === null && addresses.length > 0) found(new Set(addresses.map(({ address }) => address)));
      wait();
    });
  const wait = (): void => void (cancel = clock.wakeAt(later(clock.now(), refreshMs), refresh));
  return {
    start: () => {
      if (cancel === undefined && !isStopped) wait();
    },
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}

export type AddressWatch = Record<'start' | 'stop', () => void>;
