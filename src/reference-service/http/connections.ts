import type { Server, Socket } from 'node:net';

/** Counts the connections of a server, and resets them. */
export class Connections {
  /** By the client's address, because under TLS the socket of an exchange is not the one to reset. */
  readonly #open = new Map<string, Socket>();
  #total = 0;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket);
      this.#total++;
      this.#open.set(name, socket);
      socket.once('close', () => {
        if (this.#open.get(name) === socket) this.#open.delete(name);
      });
    });
  }

  /** Ends a connection with a reset (RST). */
  reset(socket: Socket): void {
    this.#open.get(nameOf(socket))?.resetAndDestroy();
    socket.destroy();
  }

  close(): void {
    for (const socket of this.#open.values()) socket.destroy();
  }

  figures(): { open: number; total: number } {
    return { open: this.#open.size, total: this.#total };
  }
}

const nameOf = (socket: Socket): string => `${String(socket.remoteAddress)} ${String(socket.remotePort)}`;
