import type { TLSSocket } from 'node:tls';

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
