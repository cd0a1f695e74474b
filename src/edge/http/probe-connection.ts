import { isIP } from 'node:net';
import { ChatLoadError } from '../../base/errors.ts';
import { later } from '../../base/time.ts';
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
 * whether the target can be reached at all. Sends nothing. Rejects with `ChatLoadError`: environment with what failed and how to mend it, usage for a base URL that is none.
 */
export const probeConnection = async (options: ProbeOptions): Promise<void> => {
  checkBaseUrl(options.baseUrl);
  const { localAddresses = [] } = options;
  if (localAddresses.length === 0) return probeFrom(undefined, options);
  await Promise.all(localAddresses.map((address) => probeFrom(address, options)));
};

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
    let failure: ConnectFailure | undefined;
    const { socket, readyEvent } = openSocket(aim, { buffer: Buffer.alloc(1024), callback: () => true });
    const callOff = clock.wakeAt(later(clock.now(), connectTimeoutMs), () => {
      failure = describeConnectTimeout(connectTimeoutMs, aim.place);
      socket.destroy();
    });
    socket.once(readyEvent, () => socket.destroy());
    socket.on('error', (error) => (failure = describeConnectFailure(error, aim.place)));
    socket.once('close', () => {
      callOff();
      resolve(failure);
    });
  });

const sentence = (remedy: string): string =>
  `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}.`.replace('?.', '?');
