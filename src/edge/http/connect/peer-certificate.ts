import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Who answered, as a certificate says. */
export interface PeerCertificate {
  /** Organization and name; '' where the certificate says neither. */
  issuer: string;
  /** ISO 8601; `null` where it is not known. */
  validTo: string | null;
}

/** The certificate that the other side of a connection has shown. */
export function peerCertificate(socket: TLSSocket): PeerCertificate {
  const certificate = socket.getPeerCertificate();
  // Without one Node gives an object without fields.
  const { issuer, valid_to: end } = certificate as Partial<typeof certificate>;
  const names = [issuer?.O, issuer?.CN].flat();
  const validTo = new Date(end ?? '');
  return {
    issuer: names.filter((name) => name !== undefined).join(', '),
    validTo: Number.isNaN(validTo.getTime()) ? null : validTo.toISOString(),
  };
}

/** How a socket is encrypted. */
export type EncryptedBy = PeerCertificate & { protocol: string };

/** `null` for one that is not. */
export function encryptionOf(socket: Socket): EncryptedBy | null {
  return socket instanceof TLSSocket ? { protocol: socket.getProtocol() ?? '', ...peerCertificate(socket) } : null;
}
