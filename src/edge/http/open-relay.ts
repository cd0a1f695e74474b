import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openSocket } from './connect/open-socket.ts';
import type { SocketAim } from './connect/socket-aim.ts';

interface Relay {
  /** Socket on which it listens: only this user can connect. */
  path: string;
  close(): Promise<void>;
}

/**
 * Connects clients that only speak plain HTTP to a target by chat-load's own connections, one each: with TLS whose
 * certificates are verified, and with the proxies, addresses and sockets of the scenario.
 */
export async function openRelay(aim: SocketAim): Promise<Relay> {
  const folder = await mkdtemp(join(tmpdir(), 'chat-load-'));
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${basename(folder)}` : join(folder, 'relay');
  const open = new Set<Socket>();
  const server = createServer((client) => relay(client, aim, open));
  server.listen(path);
  await once(server, 'listening');
  return {
    path,
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function relay(client: Socket, aim: SocketAim, open: Set<Socket>): void {
  keep(client, open);
  const opening = openSocket(aim, undefined, {
    ready: (target) => {
      keep(target, open);
      client.off('close', opening.cancel).on('close', () => target.destroy());
      target.on('close', () => client.destroy());
      client.pipe(target);
      target.pipe(client);
    },
    failed: () => client.destroy(),
  });
  client.on('close', opening.cancel);
}

/** Adds a socket to the open ones until it is closed, which also ends its counterpart. */
function keep(socket: Socket, open: Set<Socket>): void {
  open.add(socket);
  socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
}
