import type { Socket } from 'node:net';
import type { ConnectFailure } from './connect-failure.ts';

/** Who waits for a socket: one of the two is called, once, later than the call that opens it. */
export interface SocketListener {
  /**
   * It can be written to, and is the listener's from here on. `address` is the one that answered: asked of the socket,
   * it would be remembered there, and a reset could not be told from an end any more.
   */
  ready(socket: Socket, address: string): void;
  failed(error: Error): void;
}

/** A socket that is being opened. */
export interface OpeningSocket {
  /** Gives up: the listener hears nothing more. Without effect on a socket that is ready. */
  cancel(): void;
  /** Puts into words what it waits for, after so long. */
  describeTimeout(timeoutMs: number): ConnectFailure;
}

/** A socket that connects. */
export interface OpenedSocket {
  socket: Socket;
  /** The one that says that it can be written to. */
  readyEvent: 'connect' | 'secureConnect';
  /** Where it goes to, if it looks no address up. */
  address?: string;
}

/** Waits until a socket can be written to. `hasConnected` reports whether TCP is connected, TLS or not. */
export function awaitReady(
  { socket, readyEvent, address = '' }: OpenedSocket,
  listener: SocketListener,
): Pick<OpeningSocket, 'cancel'> & { hasConnected: () => boolean } {
  let isOver = false;
  let hasConnected = false;
  let answering = address;
  const end = (): void => {
    isOver = true;
    socket.off(readyEvent, ready).off('error', fail).off('close', close);
  };
  const cancel = (): void => {
    if (isOver) return;
    end();
    // Nobody but us would hear of what still goes wrong.
    socket.on('error', () => undefined).destroy();
  };
  const ready = (): void => {
    end();
    listener.ready(socket, answering);
  };
  const fail = (error: Error): void => {
    cancel();
    listener.failed(error);
  };
  const close = (): void => fail(new Error('the connection was closed while it was being set up'));
  socket.once('connect', () => void (hasConnected = true));
  // The latest attempt is the one that succeeds.
  socket.on('connectionAttempt', (tried: string) => void (answering = tried));
  socket.on(readyEvent, ready).on('error', fail).on('close', close);
  return { cancel, hasConnected: () => hasConnected };
}
