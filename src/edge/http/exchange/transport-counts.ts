import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { listAddresses, type Transport } from '../../../session/send.ts';

/** Counts the traffic of one sender's connections to the target. */
export class TransportCounts {
  readonly exchanges = { http1: 0, http2: 0 };
  readonly tls = new TlsCounts();
  /** `null`: HTTP/2 was not used. */
  http2: { goAways: number; refusedStreams: number } | null = null;
  /** Connections that could not be opened because this process lacked something. */
  readonly exhausted = { descriptorsExhausted: 0, portsExhausted: 0 };
  readonly #proxy: string | null;
  readonly #addresses = new Map<string, AddressCounts>();

  constructor(proxy: string | null = null) {
    this.#proxy = proxy;
  }

  noteLack(lack: 'descriptor' | 'port' | undefined): void {
    if (lack === 'descriptor') this.exhausted.descriptorsExhausted++;
    if (lack === 'port') this.exhausted.portsExhausted++;
  }

  /** Returns the counts of an address, in which every connection to it counts. */
  at(address: string): AddressCounts {
    let counts = this.#addresses.get(address);
    if (counts === undefined) this.#addresses.set(address, (counts = new AddressCounts()));
    return counts;
  }

  /** Records the addresses of the target's host. Returns true if any known address is gone. */
  lookedUp(present: ReadonlySet<string>): boolean {
    // Connections use a link-local address with its zone; a lookup returns it without.
    for (const [address, counts] of this.#addresses) counts.noteLookUp(present.has(address.replace(/%.*$/, '')));
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

/** Counts TLS handshakes, and keeps the certificate of the latest full one. */
class TlsCounts {
  #handshakes = 0;
  #resumed = 0;
  #protocol = '';
  #isVerified = true;
  #certificate: PeerCertificate = { issuer: '', validTo: null };

  /** Counts the handshake of a socket that is ready. */
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

export class AddressCounts {
  connections = 0;
  exchanges = 0;
  /** True if the service has moved away from it: connections to it get no new exchange. */
  isGone = false;
  /** Number of consecutive lookups without it. */
  #absences = 0;

  noteLookUp(isPresent: boolean): void {
    this.#absences = isPresent ? 0 : this.#absences + 1;
    this.isGone = this.#absences >= maxAbsences;
  }
}

/** Resolvers may return a part of the addresses at a time: one that is missing once may be in the next answer. */
const maxAbsences = 2;

/** The server's identity in its certificate. */
interface PeerCertificate {
  /** Organization and name; '' if the certificate has neither. */
  issuer: string;
  /** ISO 8601; `null` if it is not known. */
  validTo: string | null;
}

function peerCertificate(socket: TLSSocket): PeerCertificate {
  const certificate = socket.getPeerCertificate();
  // Without a certificate, Node returns an object without fields.
  const { issuer, valid_to: end } = certificate as Partial<typeof certificate>;
  const names = [issuer?.O, issuer?.CN].flat();
  const validTo = new Date(end ?? '');
  return {
    issuer: names.filter((name) => name !== undefined).join(', '),
    validTo: Number.isNaN(validTo.getTime()) ? null : validTo.toISOString(),
  };
}

export type EncryptedBy = PeerCertificate & { protocol: string };

export function encryptionOf(socket: Socket): EncryptedBy | null {
  return socket instanceof TLSSocket ? { protocol: socket.getProtocol() ?? '', ...peerCertificate(socket) } : null;
}
