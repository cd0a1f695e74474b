import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { later } from '../../../base/time.ts';
import { describeConnectFailure, describeConnectTimeout, type ConnectFailure } from '../connect/connect-failure.ts';
import { openSocket, type SocketAim } from '../connect/open-socket.ts';
import type { SenderOptions } from '../sender/sender-options.ts';
import { encryptionOf, type EncryptedBy } from '../connect/peer-certificate.ts';
import { offerHttp2, closedBeforeSettings, noHttp2, sessionOptions } from './http2-settings.ts';

/** Opens and closes one connection over HTTP/2. Resolves with its encryption, or why there is none. */
export function probeHttp2(
  aim: SocketAim,
  { baseUrl, clock, connectTimeoutMs }: Pick<SenderOptions, 'baseUrl' | 'clock' | 'connectTimeoutMs'>,
): Promise<ConnectFailure | { tls: EncryptedBy | null }> {
  return new Promise((resolve) => {
    let close = (): void => opening.cancel();
    const end: Awaiting['end'] = (found) => {
      cancel();
      close();
      resolve(found);
    };
    const opening = openSocket(offerHttp2(aim), undefined, {
      ready: (socket) => (close = awaitSettings(socket, { origin: baseUrl.origin, place: aim.place, end })),
      failed: (error) => end(failureOf(error, aim.place)),
    });
    const cancel = clock.wakeAt(later(clock.now(), connectTimeoutMs), () =>
      end({
        ...describeConnectTimeout(connectTimeoutMs, aim.place),
        remedy: closedBeforeSettings(aim.place, '').remedy,
      }),
    );
  });
}

interface Awaiting {
  origin: string;
  place: string;
  end: (found: ConnectFailure | { tls: EncryptedBy | null }) => void;
}

/** Gives what closes the connection. */
function awaitSettings(socket: Socket, { origin, place, end }: Awaiting): () => void {
  if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
    setImmediate(() => end(noHttp2(place)));
    return () => void socket.destroy();
  }
  const session = connect(origin, { ...sessionOptions, createConnection: () => socket });
  const fail = (how: string) => (): void => end(closedBeforeSettings(place, how));
  session.on('remoteSettings', () => end({ tls: encryptionOf(socket) }));
  session.on('error', fail('the connection broke'));
  session.on('close', fail('the connection was closed'));
  socket.on('error', () => undefined); // The session hears of it too.
  socket.on('end', fail('the server closed the connection'));
  return () => {
    session.destroy();
    socket.destroy();
  };
}

const failureOf = (error: Error, place: string): ConnectFailure =>
  isRefusedVersion(error) ? noHttp2(place) : describeConnectFailure(error, place);

/** Whether a server refused every version of HTTP that it was offered. */
export function isRefusedVersion(error: Error): boolean {
  return 'code' in error && String(error.code).endsWith('_NO_APPLICATION_PROTOCOL');
}
