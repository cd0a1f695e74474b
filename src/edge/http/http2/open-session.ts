import { connect, type ClientHttp2Session, type SecureClientSessionOptions, type Settings } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { later } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import { describeConnectFailure, describeConnectTimeout, type ConnectFailure } from '../connect/connect-failure.ts';
import { openSocket } from '../connect/open-socket.ts';
import type { SocketAim } from '../connect/socket-aim.ts';
import { encryptionOf, type EncryptedBy } from '../exchange/transport-counts.ts';
import type { SenderOptions } from '../sender/sender-options.ts';
import { brokenBy } from './stream-codes.ts';

/** The window of a stream fits any usual reply; the window of the connection is set when it is open. */
const sessionOptions: SecureClientSessionOptions = {
  settings: { enablePush: false, initialWindowSize: 1024 * 1024 },
  // Thousands of streams share one session: Node.js would end them at 10 MB in all.
  maxSessionMemory: 4096,
  maxHeaderListPairs: 2000,
};

interface SessionListener {
  settings: (maxStreams: number) => void;
  /** Nothing more can be sent or received; may be called more than once. */
  lost: (how: string, failure?: ExchangeFailure) => void;
}

export function startSession(socket: Socket, origin: string, { settings, lost }: SessionListener): ClientHttp2Session {
  // The socket allows half-open connections, so the session would not notice the end.
  socket.on('end', () => lost('the server closed the connection'));
  socket.on('error', () => undefined); // The session reports this error too.
  const session = connect(origin, { ...sessionOptions, createConnection: () => socket });
  session.on('remoteSettings', ({ maxConcurrentStreams = Infinity }: Settings) => settings(maxConcurrentStreams));
  session.on('error', (error: Error) => lost(...brokenBy(error)));
  session.on('close', () => lost('the connection was closed'));
  return session;
}

/** Reports whether HTTP/2 was chosen in the TLS handshake, if there was one. */
export function isHttp2(socket: Socket): boolean {
  return !(socket instanceof TLSSocket) || socket.alpnProtocol === 'h2';
}

/** Opens and closes one connection over HTTP/2. Resolves with its encryption, or the failure. */
export function probeHttp2(
  aim: SocketAim,
  { baseUrl, clock, connectTimeoutMs }: Pick<SenderOptions, 'baseUrl' | 'clock' | 'connectTimeoutMs'>,
): Promise<ConnectFailure | { tls: EncryptedBy | null }> {
  const { place } = aim;
  return new Promise((resolve) => {
    let close = (): void => opening.cancel();
    const end = (found: ConnectFailure | { tls: EncryptedBy | null }): void => {
      cancel();
      close();
      resolve(found);
    };
    const opening = openSocket(offerHttp2(aim), undefined, {
      ready: (socket) => {
        close = () => void socket.destroy();
        if (!isHttp2(socket)) return end(noHttp2(place));
        const session = startSession(socket, baseUrl.origin, {
          settings: () => end({ tls: encryptionOf(socket) }),
          lost: (how) => end(closedBeforeSettings(place, how)),
        });
        close = () => {
          session.destroy();
          socket.destroy();
        };
      },
      failed: (error) => end(describeHttp2Failure(error, place)),
    });
    const { remedy } = closedBeforeSettings(place, '');
    const cancel = clock.wakeAt(later(clock.now(), connectTimeoutMs), () =>
      end({ ...describeConnectTimeout(connectTimeoutMs, place), remedy }),
    );
  });
}

export function describeHttp2Failure(error: Error, place: string): ConnectFailure {
  return isRefusedVersion(error) ? noHttp2(place) : describeConnectFailure(error, place);
}

/** Reports whether a server refused every offered version of HTTP. */
export function isRefusedVersion(error: Error): boolean {
  return 'code' in error && String(error.code).endsWith('_NO_APPLICATION_PROTOCOL');
}

export function noHttp2(place: string): ConnectFailure {
  return {
    what: `${place} does not support HTTP/2`,
    remedy: 'omit target.http2 (--http2) to use HTTP/1.1',
  };
}

/** Describes a server that closed before its SETTINGS. */
export function closedBeforeSettings(place: string, how: string): ConnectFailure {
  return {
    what: `${how} before ${place} sent anything in HTTP/2`,
    remedy:
      'check that the service supports HTTP/2 on this port; without target.http2 (--http2), chat-load uses HTTP/1.1',
  };
}

/** Returns the aim with HTTP/2 offered in the TLS handshake and nothing else. */
export function offerHttp2(aim: SocketAim): SocketAim {
  return aim.tls === undefined ? aim : { ...aim, tls: { ...aim.tls, ALPNProtocols: ['h2'] } };
}
