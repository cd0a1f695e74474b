import { X509Certificate } from 'node:crypto';
import {
  createSecureContext,
  type ConnectionOptions,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import { ChatLoadError, messageOf } from '../../../base/errors.ts';

/** How TLS is spoken with a target. Files are given by what they hold. */
export interface TlsOptions {
  /** PEM. Replaces the certificate authorities of Node. */
  ca?: string | Buffer;
  /** Default true, whatever the environment says. */
  rejectUnauthorized?: boolean;
  /** The name to ask for and to find in the certificate, where it is not the base URL's. */
  servername?: string;
  /** The client's certificate and its key, PEM. */
  cert?: string | Buffer;
  key?: string | Buffer;
  /** Both of them, PKCS#12. */
  pfx?: Buffer;
  passphrase?: string;
  /** The lowest version; default that of Node, 1.2. */
  minVersion?: '1.2' | '1.3';
  /** Whether sessions are offered again. Default true. */
  resume?: boolean;
}

/**
 * For all connections of a target: the context holds the certificate authorities, which take long to load. Throws
 * `ChatLoadError` (usage) when the CA cannot be read.
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
  const given = { ca, cert, key, pfx, passphrase, minVersion: minVersion && (`TLSv${minVersion}` as const) };
  const options: SecureContextOptions = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  if (ca === undefined) return createSecureContext(options);
  try {
    new X509Certificate(ca); // A context silently ignores what is not a certificate.
    return createSecureContext(options);
  } catch (cause) {
    throw new ChatLoadError('usage', {
      message: `the CA certificate cannot be read: ${messageOf(cause)}`,
      hint: 'It must be PEM text, with a line -----BEGIN CERTIFICATE-----.',
      cause,
    });
  }
}

/** The latest session of TLS with a target, to be offered in the next handshake. */
export class LatestSession {
  #session: Buffer | undefined;

  /** What a handshake offers. */
  get offered(): Buffer | undefined {
    return this.#session;
  }

  /**
   * Keeps the sessions of a socket that is ready. Not sooner: with TLS 1.2 a server gives one before its certificate was
   * looked at, and a resumed session is not asked for the name again.
   */
  follow(socket: TLSSocket): void {
    // With TLS 1.3 a session is complete when its ticket comes, which this event tells; with 1.2 it is so by now.
    if (socket.getProtocol() === 'TLSv1.3') socket.on('session', (session) => void (this.#session = session));
    else this.#session = socket.getSession();
  }

  /** A server may fail for a session that it does not like. */
  forget(): void {
    this.#session = undefined;
  }
}
