import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ChatLoadError } from '../../base/errors.ts';
import { isForwarded } from '../../base/proxy-server.ts';
import { later, ms } from '../../base/time.ts';
import { connectFailureReason, describeConnectFailure } from './connect/connect-failure.ts';
import type { ConnectFailure } from './connect/connect-failure.ts';
import { encryptionOf, type EncryptedBy } from './connect/peer-certificate.ts';
import { isRefusedVersion, probeHttp2 } from './http2/probe-http2.ts';
import { aimSocket, openSocket } from './connect/open-socket.ts';
import type { SocketAim } from './connect/open-socket.ts';
import { checkBaseUrl } from './request/request-head.ts';
import { safeDetail } from './exchange/safe-detail.ts';
import type { SenderOptions } from './sender/sender-options.ts';

/** What was found out about a target before anything is sent. */
export interface ProbedConnection {
  /** The version of HTTP to speak: the one that was asked for, or the only one of the server. */
  speaks: 'http/1.1' | 'h2';
  /** The encryption; `null` where there is none. */
  tls: EncryptedBy | null;
}

type ProbeOptions = Pick<
  SenderOptions,
  | 'baseUrl'
  | 'connectTimeoutMs'
  | 'clock'
  | 'tls'
  | 'localAddresses'
  | 'unixSocket'
  | 'proxy'
  | 'redact'
  | 'resolve'
  | 'lookUp'
  | 'http2'
>;

/**
 * Opens and closes one connection from every local address (one in all where none is given), TLS included, to see
 * whether the target can be reached at all. Sends nothing. Rejects with `ChatLoadError`: environment with what failed and how to fix it, usage for a base URL that is none.
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
  const { baseUrl, tls, redact = (text: string): string => text } = options;
  // A proxy that forwards requests is asked for a connection, too: nothing of the target's is spent on that.
  const way = { ...options, localAddresses: address === undefined ? [] : [address], tunnelsAlways: true };
  const found = await tryVersions(aimSocket(baseUrl, tls, way), options);
  if ('tls' in found) return found;
  if (found.mayForward === true && isForwardedBy(options)) return { speaks: 'http/1.1', tls: null };
  const from = address === undefined ? '' : ` from the local address ${address} (IPv${String(isIP(address))})`;
  const message = safeDetail(
    `the target ${baseUrl.origin} cannot be reached${from}: ${connectFailureReason(found, redact)}`,
    redact,
  );
  throw new ChatLoadError('environment', { message, hint: sentence(found.remedy) });
};

/** HTTP/2 takes a connection of its own: no proxy forwards it. */
const isForwardedBy = ({ baseUrl, proxy, http2 }: ProbeOptions): boolean =>
  proxy !== undefined && http2 !== true && isForwarded(baseUrl, proxy);

/** A server that has no HTTP/1.1 is asked again. */
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
    const opening = openSocket(
      aim,
      { buffer: Buffer.alloc(1024), callback: () => true },
      {
        ready: (socket) => {
          cancel();
          const tls = encryptionOf(socket);
          void hearRefusal(socket, options).then((error) =>
            resolve(error === undefined ? { tls } : describeConnectFailure(error, aim.place)),
          );
        },
        failed: (error) => {
          cancel();
          resolve(isRefusedVersion(error) ? 'another_version' : describeConnectFailure(error, aim.place));
        },
      },
    );
    const cancel = clock.wakeAt(later(clock.now(), connectTimeoutMs), () => {
      opening.cancel();
      resolve(opening.describeTimeout(connectTimeoutMs));
    });
  });

/** Closes a socket when it is known whether the server refuses it. Resolves with why. */
const hearRefusal = (socket: Socket, { clock, tls }: ProbeOptions): Promise<Error | undefined> =>
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
    if (!mayBeRefusedLate(socket)) return void socket.destroy();
    const showsCertificate = (tls?.cert ?? tls?.pfx) !== undefined;
    // Some servers give a ticket before they look at the certificate, and hang up without a word when they refuse it.
    if (!showsCertificate) socket.once('session', () => socket.destroy());
    socket.once('end', () => {
      if (showsCertificate) refusal = hangUp();
      socket.destroy();
    });
    cancelWait = clock.wakeAt(later(clock.now(), lateRefusalMs), () => socket.destroy());
  });

const hangUp = (): Error => Object.assign(new Error('the server hung up'), { code: 'ECONNRESET' });

/**
 * With TLS 1.3 a client is done with the handshake before the server has looked for its certificate. The server's next
 * message shows it: the ticket of a session, or a refusal.
 */
const mayBeRefusedLate = (socket: Socket): boolean => socket instanceof TLSSocket && socket.getProtocol() === 'TLSv1.3';

/** A server that gives no tickets says nothing more. */
const lateRefusalMs = ms(250);

const sentence = (remedy: string): string =>
  `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}.`.replace('?.', '?');
