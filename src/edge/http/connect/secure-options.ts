import { X509Certificate } from 'node:crypto';
import {
  createSecureContext,
  type ConnectionOptions,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import { ChatLoadError, messageOf } from '../../../base/errors.ts';

/** TLS with a target. Files are passed by their contents. */
export interface TlsOptions {
  /** PEM. Replaces the certificate authorities of Node. */
  ca?: string | Buffer;
  /** Default true, regardless of the environment. */
  rejectUnauthorized?: boolean;
  /** The name to request and to find in the certificate, if it is not the base URL's. */
  servername?: string;
  /** The client's certificate and its key, PEM. */
  cert?: string | Buffer;
  key?: string | Buffer;
  /** Certificate and key, PKCS#12. */
  pfx?: Buffer;
  passphrase?: string;
  /** Minimum version. Default: Node's, 1.2. */
  minVersion?: '1.2' | '1.3';
  /** True if sessions are offered again, which is the default. */
  resume?: boolean;
}

/**
 * Returns the options for all connections of a target: the context contains the certificate authorities, which take long
 * to load. Throws `ChatLoadError` (usage) if the CA cannot be read.
 */
export function secureOptions({ rejectUnauthorized = true, servername, ...tls }: TlsOptions): ConnectionOptions {
  return {
    secureContext: contextOf(tls),
    rejectUnauthorized,
    ALPNProtocols: ['http/1.1'],
    ...(servername === undefined ? {} : { servername }),
  };
}

function contextOf({ ca, cert, key, pfx, passphrase, minVersion }: TlsOptions): SecureContext {
  const options: SecureContextOptions = Object.fromEntries(
    Object.entries({ ca, cert, key, pfx, passphrase, minVersion: minVersion && `TLSv${minVersion}` }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  if (ca === undefined) return createSecureContext(options);
  try {
    new X509Certificate(ca); // A context silently ignores anything else.
    return createSecureContext(options);
  } catch (cause) {
    throw new ChatLoadError('usage', {
      message: `the CA certificate cannot be read: ${messageOf(cause)}`,
      hint: 'It must be PEM text, with a line -----BEGIN CERTIFICATE-----.',
      cause,
    });
  }
}

/** The latest TLS session with a target, offered in the next handshake. */
export class LatestSession {
  offered: Buffer | undefined;

  /**
   * Keeps the sessions of a socket that is ready, not earlier: with TLS 1.2 a server sends a session before its
   * certificate is checked, and resuming a session does not check the name again.
   */
  follow(socket: TLSSocket): void {
    // With TLS 1.3 a session is complete when its ticket arrives, which this event reports; with TLS 1.2 it is already
    // complete.
    if (socket.getProtocol() === 'TLSv1.3') socket.on('session', (session) => void (this.offered = session));
    else this.offered = socket.getSession();
  }

  /** A server may fail because of the session offered. */
  forget(): void {
    this.offered = undefined;
  }
}
