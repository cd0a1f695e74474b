import type { RequestOptions } from 'node:http';
import { Duplex } from 'node:stream';
import { ConnectError, describeConnectFailure } from './connect-failure.ts';
import { openSocket, type SocketAim } from './open-socket.ts';

/** Makes the connection of a request of Node's own as those of a run are made. */
export function connectTo(aim: SocketAim, signal: AbortSignal): RequestOptions['createConnection'] {
  return (_options, created) => {
    const opening = openSocket(aim, undefined, {
      ready: (socket) => created(null, socket),
      failed: (error) => created(new ConnectError(describeConnectFailure(error, aim.place)), new Duplex()),
    });
    signal.addEventListener('abort', () => opening.cancel(), { once: true });
    return undefined;
  };
}
