import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Link } from './link.ts';
import type { Place } from './switchboard.ts';

/** One process's links to the others. */
export interface Mesh {
  /** Connects to the others, and waits until they have. Each of them must be open. */
  join(): Promise<ReadonlyMap<number, Link>>;
}

/**
 * Opens this process for links from others, at a socket of the system (not of the network). Only what has sessions has
 * to be reached: two processes without sessions have no link. A link that ends calls `lost`.
 *
 * A link is two sockets, one for each direction: whoever connects reads, since only there Node.js can read into one
 * buffer again and again.
 */
export async function openMesh(place: Place, pathOf: (index: number) => string, lost: () => void): Promise<Mesh> {
  const links = new Map<number, Link>();
  const peers = peersOf(place);
  const server = createServer();
  const linked = acceptLinks(server, { count: peers.length, links, lost });
  server.listen(pathOf(place.index));
  await once(server, 'listening');
  const connectTo = (peer: number): Promise<void> =>
    openReader(pathOf(peer), { index: place.index, receive: (bytes) => links.get(peer)?.receive(bytes), lost });
  const join = async (): Promise<ReadonlyMap<number, Link>> => {
    await Promise.all([linked, ...peers.map(connectTo)]);
    server.close();
    return links;
  };
  return { join };
}

const peersOf = ({ index, processes, owners }: Place): number[] =>
  Array.from({ length: processes }, (_, peer) => peer).filter(
    (peer) => peer !== index && (index < owners || peer < owners),
  );

interface Expected {
  count: number;
  links: Map<number, Link>;
  lost: () => void;
}

/** Whoever connects sends one byte, its number, and reads from then on. */
function acceptLinks(server: Server, { count, links, lost }: Expected): Promise<void> {
  return new Promise((resolve) => {
    if (count === 0) resolve();
    server.on('connection', (socket) => {
      noticeEnd(socket, lost);
      socket.once('data', ([index = 0]: Buffer) => {
        links.set(index, new Link(socket));
        if (links.size === count) resolve();
      });
    });
  });
}

interface Reader {
  index: number;
  receive: (bytes: Buffer) => void;
  lost: () => void;
}

async function openReader(path: string, { index, receive, lost }: Reader): Promise<void> {
  const callback = (length: number, buffer: Uint8Array): boolean => {
    receive((buffer as Buffer).subarray(0, length));
    return true;
  };
  const socket = connect({ path, onread: { buffer: Buffer.allocUnsafe(64 * 1024), callback } });
  await once(socket, 'connect');
  noticeEnd(socket, lost);
  socket.write(Buffer.of(index));
}

function noticeEnd(socket: Socket, lost: () => void): void {
  socket.on('error', lost).on('close', lost);
}

/** Where the processes of a service await links from each other. */
export interface SocketPaths {
  /** By the number of the process. */
  paths: readonly string[];
  /** Once all are linked, nobody needs the paths any more. */
  remove: () => Promise<void>;
}

/** Sockets in a folder that only this user may enter; on Windows, named pipes. */
export async function makeSocketPaths(count: number): Promise<SocketPaths> {
  const pathsIn = (folder: string): string[] =>
    Array.from({ length: count }, (_, index) => `${folder}${String(index)}`);
  if (process.platform === 'win32')
    return { paths: pathsIn(`\\\\.\\pipe\\chat-load-${randomUUID()}-`), remove: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'chat-load-'));
  return { paths: pathsIn(`${folder}/`), remove: () => rm(folder, { recursive: true, force: true }) };
}
