import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

import { WebSocket, type ClientOptions } from 'ws';
import type { HeaderFields } from '../../../protocol/protocol.ts';
import type { ResponseLimits } from '../response/response-parser.ts';

/** The request for an upgrade. */
export interface Upgrade {
  /** With the query. */
  path: string;
  headers: HeaderFields;
  subprotocols: readonly string[];
  /** Fills the key into a frame before the first turn. */
  withKey: (frame: string) => string;
}

/** Options of the library that its types do not list. */
interface SocketOptions extends ClientOptions {
  maxHeaderSize: number;
  closeTimeout: number;
  maxPendingAutoPongs: number;
}

/** Maximum time for the answer to a close frame. */
const maxClosingMs = 1000;

/** Requests the upgrade of a connected socket. Throws if a header field or a subprotocol is invalid. */
export function requestUpgrade(
  socket: Socket,
  { path, headers, subprotocols }: Omit<Upgrade, 'withKey'>,
  limits: Pick<ResponseLimits, 'maxBodyBytes' | 'maxHeadBytes'>,
): WebSocket {
  const options: SocketOptions = {
    createConnection: () => socket,
    headers: { ...headers },
    perMessageDeflate: false,
    maxPayload: limits.maxBodyBytes,
    maxHeaderSize: limits.maxHeadBytes,
    closeTimeout: maxClosingMs,
    // A storm of pings is answered, like by other clients.
    maxPendingAutoPongs: 0,
  };
  // The socket is connected already, with TLS or through a proxy: only the path is used.
  return new WebSocket(`ws://target${path}`, [...subprotocols], options);
}

/**
 * Calls back with the close frame of the server as soon as it is read. The library reports it only when the connection has
 * ended, which a server may delay.
 */
export function onCloseFrame(ws: WebSocket, received: (code: number, reason: string) => void): void {
  const { _receiver: receiver } = ws as unknown as { _receiver?: EventEmitter };
  receiver?.on('conclude', (code: number, reason: Buffer) => received(code, reason.toString()));
}
