import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP line to a port of loopback that can be interrupted. */
export interface TcpLine {
  port: number;
  /** Resets all connections, and new ones. */
  cut(): void;
  /** Lets nothing through any more, without a word, as a broken network does. */
  freeze(): void;
  mend(): void;
  close(): void;
}

export async function openTcpLine(to: number): Promise<TcpLine> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (state === 'cut') return void near.destroy();
    const far = keep(connect(to, '127.0.0.1'));
    pass(near, far);
    pass(far, near);
  });
  const pass = (from: Socket, into: Socket): void => {
    from.on('data', (bytes) => state !== 'frozen' && into.write(bytes));
    from.on('close', () => into.destroy());
  };
  const cutAll = (): void => sockets.forEach((socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = 'cut';
      cutAll();
    },
    freeze: () => (state = 'frozen'),
    mend: () => (state = 'open'),
    close: () => {
      server.close();
      cutAll();
    },
  };
}
