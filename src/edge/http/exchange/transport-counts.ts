import { listAddresses } from '../../../result/sections/list-addresses.ts';
import type { Transport } from '../../../result/sections/transport.ts';
import { noteLookUp, type AddressCounts } from '../connect/address-counts.ts';
import { TlsCounts } from './tls-counts.ts';

/** Counts how requests went to the target: what its parts do is told to it, and it gives the account. */
export class TransportCounts {
  readonly exchanges = { http1: 0, http2: 0 };
  readonly tls = new TlsCounts();
  /** `null`: HTTP/2 was not spoken. */
  http2: { goAways: number; refusedStreams: number } | null = null;
  readonly #proxy: string | null;
  readonly #addresses = new Map<string, AddressCounts>();

  constructor(proxy: string | null = null) {
    this.#proxy = proxy;
  }

  /** The counts of an address: whoever holds a connection to it counts there. */
  at(address: string): AddressCounts {
    let counts = this.#addresses.get(address);
    if (counts === undefined)
      this.#addresses.set(address, (counts = { connections: 0, exchanges: 0, absences: 0, isGone: false }));
    return counts;
  }

  /** The host of the target was looked up. Says whether any of its addresses is gone. */
  lookedUp(present: ReadonlySet<string>): boolean {
    // A link-local address is connected to with its zone, and found without.
    for (const [address, counts] of this.#addresses) noteLookUp(counts, present.has(address.replace(/%.*$/, '')));
    return [...this.#addresses.values()].some(({ isGone }) => isGone);
  }

  account(): Transport {
    const addresses = [...this.#addresses].map(([address, { connections, exchanges }]) => ({
      address,
      connections,
      exchanges,
    }));
    return {
      proxy: this.#proxy,
      exchanges: { ...this.exchanges },
      addresses: listAddresses(addresses),
      tls: this.tls.account(),
      http2: this.http2 && { ...this.http2 },
      tokens: null,
    };
  }
}
