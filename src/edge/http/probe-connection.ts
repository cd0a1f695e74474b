import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ChatLoadError } from '../../base/errors.ts';
import { isForwarded } from '../../base/proxy-server.ts';
import { later, ms } from '../../base/time.ts';
import { connectFailureReason, describeConnectFailure, type ConnectFailure } from './connect/connect-failure.ts';
import { encryptionOf, type EncryptedBy } from './exchange/transport-counts.ts';
import { isRefusedVersion, probeHttp2 } from './http2/open-session.ts';
import { openSocket } from './connect/open-socket.ts';
import { aimSocket, type SocketAim } from './connect/socket-aim.ts';
import { checkBaseUrl } from './request/request-head.ts';
import { safeDetail } from './exchange/safe-detail.ts';
import type { SenderOptions } from './sender/sender-options.ts';

/** Facts about a target before anything is sent. */
export interface ProbedConnection {
  /** The version of HTTP to use: the requested one, or the only one of the server. */
  speaks: 'http/1.1' | 'h2';
  /** `null` for plain connections. */
  tls: EncryptedBy | null;
}

type ProbeOptions = Partial<SenderOptions> & Pick<SenderOptions, 'baseUrl' | 'connectTimeoutMs' | 'clock'>;

/**
 * Opens and closes one connection from every local address (a single one without local addresses), TLS included, to find out
 * whether the target can be reached at all. Sends nothing. Rejects with `ChatLoadError`: environment with the failure and
 * its remedy, usage for an invalid base URL.
 */
export async function probeConnection(options: ProbeOptions): Promise<ProbedConnection> {
  checkBaseUrl(options.baseUrl);
  const { localAddresses = [] } = options;
  const [first, ...others] = localAddresses;
  const [probed] = await Promise.all([
    probeFrom(first, options),
    ...others.map((address) => probeFrom(address, options)),
  ]);
  return probed;
}

const probeFrom = async (address: string | undefined, options: ProbeOptions): Promise<ProbedConnection> => {
  const { baseUrl, tls, proxy, http2, redact = (text: string): string => text } = options;
  // A proxy that forwards requests has to open a tunnel too: that costs the target nothing.
  const route = { ...options, localAddresses: address === undefined ? [] : [address], tunnelsAlways: true };
  const found = await tryVersions(aimSocket(baseUrl, tls, route), options);
  if ('tls' in found) return found;
  // No proxy forwards HTTP/2.
  const isForwardable = proxy !== undefined && http2 !== true && isForwarded(baseUrl, proxy);
  if (found.mayForward === true && isForwardable) return { speaks: 'http/1.1', tls: null };
  const from = address === undefined ? '' : ` from the local address ${address} (IPv${String(isIP(address))})`;
  const message = safeDetail(
    `the target ${baseUrl.origin} cannot be reached${from}: ${connectFailureReason(found, redact)}`,
    redact,
  );
  throw new ChatLoadError('environment', { message, hint: sentence(found.remedy) });
};

/** Connects with HTTP/1.1, and if the server does not support it, with HTTP/2. */
async function tryVersions(aim: SocketAim, options: ProbeOptions): Promise<ConnectFailure | ProbedConnection> {
  const first = options.http2 === true ? 'another_version' : await tryConnecting(aim, options);
  if (first !== 'another_version') return 'tls' in first ? { speaks: 'http/1.1', tls: first.tls } : first;
  const second = await probeHttp2(aim, options);
  return 'tls' in second ? { speaks: 'h2', tls: second.tls } : second;
}

const tryConnecting = (
  aim: SocketAim,
  options: ProbeOptions,
): Promise<ConnectFailure | 'another_version' | Pick<ProbedConnection, 'tls'>> =>
  new Promise((resolve) => {
    const { clock, connectTimeoutMs } = options;
    const discard = { buffer: Buffer.alloc(1024), callback: () => true };
    const opening = openSocket(aim, discard, {
      ready: (socket) => {
        cancel();
        const tls = encryptionOf(socket);
        void awaitRefusal(socket, options).then((error) =>
          resolve(error === undefined ? { tls } : describeConnectFailure(error, aim.place)),
        );
      },
      failed: (error) => {
        cancel();
        resolve(isRefusedVersion(error) ? 'another_version' : describeConnectFailure(error, aim.place));
      },
    });
    const cancel = clock.wakeAt(later(clock.now(), connectTimeoutMs), () => {
      opening.cancel();
      resolve(opening.describeTimeout(connectTimeoutMs));
    });
  });

/** Closes a socket once it is known whether the server refuses it. Resolves with the reason. */
const awaitRefusal = (socket: Socket, { clock, tls }: ProbeOptions): Promise<Error | undefined> =>
  new Promise((resolve) => {
    let refusal: Error | undefined;
    let cancelWait = (): void => undefined;
    socket.on('error', (error) => {
      refusal = error;
      socket.destroy();
    });
    socket.once('close', () => {
      cancelWait();
      resolve(refusal);
    });
    // With TLS 1.3 a client finishes the handshake before the server has checked its certificate. The server's next
    // message shows the result: the ticket of a session, or a refusal.
    if (!(socket instanceof TLSSocket) || socket.getProtocol() !== 'TLSv1.3') return void socket.destroy();
    const showsCertificate = (tls?.cert ?? tls?.pfx) !== undefined;
    // Some servers send a ticket before they check the certificate, and hang up silently if they refuse it.
    if (!showsCertificate) socket.once('session', () => socket.destroy());
    socket.once('end', () => {
      if (showsCertificate)
        refusal = Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' });
      socket.destroy();
    });
    cancelWait = clock.wakeAt(later(clock.now(), lateRefusalMs), () => socket.destroy());
  });

/** A server without tickets sends nothing more. */
const lateRefusalMs = ms(250);

const sentence = (remedy: string): string =>
  `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}.`.replace('?.', '?');
