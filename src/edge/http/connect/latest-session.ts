import type { TLSSocket } from 'node:tls';

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
