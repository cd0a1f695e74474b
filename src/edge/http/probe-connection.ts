import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ChatLoadError } from '../../base/errors.ts';
import { later, ms, type Clock } from '../../base/time.ts';
import { describeConnectFailure, describeConnectTimeout } from './connect-failure.ts';
import type { ConnectFailure } from './connect-failure.ts';
import { isRefusedVersion, probeHttp2 } from './probe-http2.ts';
import { aimSocket, openSocket } from './open-socket.ts';
import type { SocketAim } from './open-socket.ts';
import { checkBaseUrl } from './request-head.ts';
import { safeDetail } from './safe-detail.ts';
import type { SenderOptions } from './sender.ts';

type ProbeOptions = Pick<SenderOptions, 'baseUrl' | 'connectTimeoutMs' | 'clock' | 'tls' | 'localAddresses' | 'http2'>;

/** What is known of a target that can be reached. */
export interface ProbedConnection {
  /** The version of HTTP to speak: the one that was asked for, or the only one of the server. */
  speaks: 'http/1.1' | 'h2';
}

/**
 * Opens and closes one connection from every local address (one in all where none is given), TLS included, to see
 * whether the target can be reached at all. Sends nothing. Rejects with `ChatLoadError`: environment with what failed and how to fix it, usage for a base URL that is none.
 */
export async function probeConnection(options: ProbeOptions): Promise<ProbedConnection> {
  checkBaseUrl(options.baseUrl);
  const { localAddresses = [] } = options;
  const addresses = localAddresses.length === 0 ? [undefined] : localAddresses;
  const [first = { speaks: 'http/1.1' }] = await Promise.all(addresses.map((address) => probeFrom(address, options)));
  return first;
}

const probeFrom = async (address: string | undefined, options: ProbeOptions): Promise<ProbedConnection> => {
  const { baseUrl, tls } = options;
  const aim = aimSocket(baseUrl, tls, address === undefined ? [] : [address]);
  let speaks: ProbedConnection['speaks'] = options.http2 === true ? 'h2' : 'http/1.1';
  let failure = speaks === 'h2' ? await probeHttp2(aim, options) : await tryConnecting(aim, options);
  // A server that has no HTTP/1.1 is asked again.
  if (failure === 'another_version') {
    speaks = 'h2';
    failure = await probeHttp2(aim, options);
  }
  if (failure === undefined) return { speaks };
  const way = address === undefined ? '' : ` from the local address ${address} (IPv${String(isIP(address))})`;
  const message = safeDetail(`the target ${baseUrl.origin} cannot be reached${way}: ${failure.what}`);
  throw new ChatLoadError('environment', { message, hint: sentence(failure.remedy) });
};

const tryConnecting = (
  aim: SocketAim,
  options: ProbeOptions,
): Promise<ConnectFailure | 'another_version' | undefined> =>
  new Promise((resolve) => {
    const { clock, connectTimeoutMs } = options;
    const opening = openSocket(
      aim,
      { buffer: Buffer.alloc(1024), callback: () => true },
      {
        ready: (socket) => {
          cancel();
          void hearRefusal(socket, options.clock).then((error) =>
            resolve(error && describeConnectFailure(error, aim.place)),
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
      resolve(describeConnectTimeout(connectTimeoutMs, aim.place));
    });
  });

/** Closes a socket when it is known whether the server refuses it. Resolves with why. */
const hearRefusal = (socket: Socket, clock: Clock): Promise<Error | undefined> =>
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
    for (const event of ['session', 'end']) socket.once(event, () => socket.destroy());
    cancelWait = clock.wakeAt(later(clock.now(), lateRefusalMs), () => socket.destroy());
  });

/**
 * With TLS 1.3 a client is done with the handshake before the server has looked for its certificate. The server's next
 * message shows it: the ticket of a session, or a refusal.
 */
const mayBeRefusedLate = (socket: Socket): boolean => socket instanceof TLSSocket && socket.getProtocol() === 'TLSv1.3';

/** A server that gives no tickets says nothing more. */
const lateRefusalMs = ms(250);

const sentence = (remedy: string): string =>
  `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}.`.replace('?.', '?');
