import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Link } from './link.ts';
import type { Place } from './switchboard.ts';

/** One process's links to the others. */
export interface Mesh {
  /** Connects to those before this one, and waits for those after it. Each of them must be open. */
  join(): Promise<ReadonlyMap<number, Link>>;
}

/**
 * Opens this process for links from others, at a socket of the system (not of the network). Only what has sessions has
 * to be reached: two processes without sessions have no link. A link that ends calls `lost`.
 */
export async function openMesh(place: Place, pathOf: (index: number) => string, lost: () => void): Promise<Mesh> {
  const links = new Map<number, Link>();
  const server = createServer();
  const later = expectLinks(server, { count: linkedAfter(place), links, lost });
  server.listen(pathOf(place.index));
  await once(server, 'listening');
  const join = async (): Promise<ReadonlyMap<number, Link>> => {
    const before = Array.from({ length: Math.min(place.index, place.owners) }, (_, index) => index);
    await Promise.all(before.map(async (index) => links.set(index, await linkTo(pathOf(index), place.index, lost))));
    await later;
    server.close();
    return links;
  };
  return { join };
}

/** How many of the processes after this one are to connect to it. */
const linkedAfter = ({ index, processes, owners }: Place): number => (index < owners ? processes - index - 1 : 0);

interface Expected {
  count: number;
  links: Map<number, Link>;
  lost: () => void;
}

function expectLinks(server: Server, { count, links, lost }: Expected): Promise<void> {
  return new Promise((resolve) => {
    if (count === 0) resolve();
    server.on('connection', (socket) => {
      // The first byte is the number of the process that connects; nothing else comes before all have joined.
      socket.once('readable', () => {
        const [index = 0] = socket.read(1) as Buffer;
        links.set(index, linkOver(socket, lost));
        if (links.size >= count) resolve();
      });
    });
  });
}

async function linkTo(path: string, index: number, lost: () => void): Promise<Link> {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.write(Buffer.of(index));
  return linkOver(socket, lost);
}

function linkOver(socket: Socket, lost: () => void): Link {
  socket.on('error', lost).on('close', lost);
  return new Link(socket);
}
