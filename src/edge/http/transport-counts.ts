import { listAddresses } from '../../result/sections/list-addresses.ts';
import type { Transport } from '../../result/sections/transport.ts';

/** Counts how requests went to the target: what its parts do is told to it, and it gives the account. */
export class TransportCounts {
  readonly exchanges = { http1: 0, http2: 0 };
  /** `null`: HTTP/2 was not spoken. */
  http2: { goAways: number; refusedStreams: number } | null = null;
  readonly #proxy: string | null;
  readonly #addresses = new Map<string, { connections: number; exchanges: number }>();

  constructor(proxy: string | null = null) {
    this.#proxy = proxy;
  }

  /** The counts of an address: whoever holds a connection to it counts there. */
  at(address: string): { connections: number; exchanges: number } {
    let counts = this.#addresses.get(address);
    if (counts === undefined) this.#addresses.set(address, (counts = { connections: 0, exchanges: 0 }));
    return counts;
  }

  account(): Transport {
    const addresses = [...this.#addresses].map(([address, counts]) => ({ address, ...counts }));
    return {
      proxy: this.#proxy,
      exchanges: { ...this.exchanges },
      addresses: listAddresses(addresses),
      tls: null,
      http2: this.http2 && { ...this.http2 },
      tokens: null,
    };
  }
}
