import { lookup as lookUpName } from 'node:dns';
import { later, type Clock, type Ms } from '../../../base/time.ts';
import type { LookUpAll } from './shared-lookup.ts';

interface Watched {
  host: string;
  refreshMs: Ms;
  clock: Clock;
  /** Called with the current addresses of the host. */
  found: (addresses: ReadonlySet<string>) => void;
  /** Default: the system looks names up. */
  lookUp?: LookUpAll | undefined;
}

/** Looks a host up again and again. A failed look-up does not show where the service is, and changes nothing. */
export class AddressWatch {
  readonly #watched: Watched;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Does nothing if it is started already. */
  start(): void {
    if (this.#cancel === undefined && !this.#isStopped) this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #wait(): void {
    const { clock, refreshMs } = this.#watched;
    this.#cancel = clock.wakeAt(later(clock.now(), refreshMs), () => this.#lookUp());
  }

  #lookUp(): void {
    const { host, found, lookUp = lookUpName } = this.#watched;
    lookUp(host, { all: true }, (error, addresses) => {
      if (this.#isStopped) return;
      if (error === null && addresses.length > 0) found(new Set(addresses.map(({ address }) => address)));
      this.#wait();
    });
  }
}
