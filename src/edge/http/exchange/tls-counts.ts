import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Transport } from '../../../result/sections/transport.ts';
import { peerCertificate, type PeerCertificate } from '../connect/peer-certificate.ts';

/** Counts handshakes of TLS, and keeps what the latest full one showed. */
export class TlsCounts {
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
