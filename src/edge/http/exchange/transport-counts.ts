import { listAddresses, type Transport } from '../../../session/send.ts';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { peerCertificate, type PeerCertificate } from '../connect/peer-certificate.ts';

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

/** Counts handshakes of TLS, and keeps what the latest full one showed. */
class TlsCounts {
  #handshakes = 0;
  #resumed = 0;
  #protocol = '';
  #isVerified = true;
  #certificate: PeerCertificate = { issuer: '', validTo: null };

  /** A handshake has ended well. */
  add(socket: Socket, isVerified: boolean): void {
    if (!(socket instanceof TLSSocket)) return;
    this.#handshakes++;
    this.#isVerified &&= isVerified;
    this.#protocol = socket.getProtocol() ?? this.#protocol;
    // A resumed session shows no certificate.
    if (socket.isSessionReused()) this.#resumed++;
    else this.#certificate = peerCertificate(socket);
  }

  account(): Transport['tls'] {
    if (this.#handshakes === 0) return null;
    return {
      protocol: this.#protocol,
      handshakes: this.#handshakes,
      resumed: this.#resumed,
      isVerified: this.#isVerified,
      ...this.#certificate,
    };
  }
}

/** What went to one address. */
export interface AddressCounts {
  connections: number;
  exchanges: number;
  /** In how many look-ups in a row it was missing. */
  absences: number;
  /** Whether the service has moved away from it: connections to it carry nothing new. */
  isGone: boolean;
}

/** Resolvers may give a part of the addresses at a time: one that is missing once may be in the next answer. */
const maxAbsences = 2;

/** Takes down whether an address was in the answer to a look-up. */
function noteLookUp(counts: AddressCounts, isPresent: boolean): void {
  counts.absences = isPresent ? 0 : counts.absences + 1;
  counts.isGone = counts.absences >= maxAbsences;
}
