import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Link } from './link.ts';

/** Links to the other processes, by their numbers. */
export type Links = ReadonlyMap<number, Link>;

/**
 * Opens the process with this number for links from others, at a local socket (not of the network). Returns a function
 * that connects to the others, which must all be open by then, and waits for their connections: a process connects to
 * those numbered below it. A link that ends calls `lost`.
 */
export async function openMesh(
  index: number,
  paths: readonly string[],
  lost: () => void,
): Promise<() => Promise<Links>> {
  const links = new Map<number, Link>();
  const add = (peer: number, socket: Socket): void => {
    socket.on('error', lost).on('close', lost);
    links.set(peer, new Link(socket));
  };
  const server = createServer();
  const accepted = new Promise<void>((resolve) => {
    let expected = paths.length - 1 - index;
    if (expected === 0) resolve();
    // The first byte of a connection is the number of its process.
    server.on('connection', (socket) =>
      socket.once('data', ([peer = 0]: Buffer) => {
        add(peer, socket);
        if (--expected === 0) resolve();
      }),
    );
  });
  const connectTo = async (path: string, peer: number): Promise<void> => {
    const socket = connect(path);
    await once(socket, 'connect');
    socket.write(Buffer.of(index));
    add(peer, socket);
  };
  server.listen(paths[index]);
  await once(server, 'listening');
  return async () => {
    await Promise.all([accepted, ...paths.slice(0, index).map(connectTo)]);
    server.close();
    return links;
  };
}

/** Paths of the local sockets of the processes of a service, by the number of the process. */
interface SocketPaths {
  paths: readonly string[];
  /** Removes the paths, which are not needed once all processes are linked. */
  remove: () => Promise<void>;
}

/** Makes paths of sockets in a folder that only this user may enter; on Windows, named pipes. */
export async function makeSocketPaths(count: number): Promise<SocketPaths> {
  const pathsIn = (folder: string): string[] =>
    Array.from({ length: count }, (_, index) => `${folder}${String(index)}`);
  if (process.platform === 'win32')
    return { paths: pathsIn(`\\\\.\\pipe\\chat-load-${randomUUID()}-`), remove: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'chat-load-'));
  return { paths: pathsIn(`${folder}/`), remove: () => rm(folder, { recursive: true, force: true }) };
}
