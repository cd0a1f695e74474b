import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ChatLoadError } from '../../base/errors.ts';
import { later, ms, type Clock } from '../../base/time.ts';
import { describeConnectFailure, describeConnectTimeout } from './connect-failure.ts';
import type { ConnectFailure } from './connect-failure.ts';
import { aimSocket, openSocket } from './open-socket.ts';
import type { SocketAim } from './open-socket.ts';
import { checkBaseUrl } from './request-head.ts';
import { safeDetail } from './safe-detail.ts';
import type { SenderOptions } from './sender.ts';

type ProbeOptions = Pick<SenderOptions, 'baseUrl' | 'connectTimeoutMs' | 'clock' | 'tls' | 'localAddresses'>;

/**
 * Opens and closes one connection from every local address (one in all where none is given), TLS included, to see
 * whether the target can be reached at all. Sends nothing. Rejects with `ChatLoadError`: environment with what failed and how to fix it, usage for a base URL that is none.
 */
export async function probeConnection(options: ProbeOptions): Promise<void> {
  checkBaseUrl(options.baseUrl);
  const { localAddresses = [] } = options;
  if (localAddresses.length === 0) return probeFrom(undefined, options);
  await Promise.all(localAddresses.map((address) => probeFrom(address, options)));
}

const probeFrom = async (address: string | undefined, options: ProbeOptions): Promise<void> => {
  const { baseUrl, tls } = options;
  const failure = await tryConnecting(aimSocket(baseUrl, tls, address === undefined ? [] : [address]), options);
  if (failure === undefined) return;
  const way = address === undefined ? '' : ` from the local address ${address} (IPv${String(isIP(address))})`;
  const message = safeDetail(`the target ${baseUrl.origin} cannot be reached${way}: ${failure.what}`);
  throw new ChatLoadError('environment', { message, hint: sentence(failure.remedy) });
};

const tryConnecting = (aim: SocketAim, options: ProbeOptions): Promise<ConnectFailure | undefined> =>
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
          resolve(describeConnectFailure(error, aim.place));
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
