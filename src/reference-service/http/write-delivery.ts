import type { ServerResponse } from 'node:http';
import type { SocketEnd } from '../../scenario/embedded-faults.ts';
import type { Delivery } from './delivery.ts';
import type { Server, Socket } from 'node:net';

/** Writes a delivery, or ends the connection as it requires. Returns whether a whole response was written. */
export function writeDelivery(delivery: Delivery, response: ServerResponse, connections: Connections): boolean {
  const { socket } = response.req;
  switch (delivery.outcome) {
    case 'reset':
      connections.reset(socket);
      return false;
    case 'closed':
      socket.destroySoon();
      return false;
    case 'cut':
      writeHalf(delivery, response);
      return false;
    default:
      writeWhole(delivery, response);
      return true;
  }
}

function writeWhole(delivery: Delivery, response: ServerResponse): void {
  const body = delivery.status === 204 || delivery.status === 304 ? '' : delivery.body;
  const length = Buffer.byteLength(body);
  // If there are as many bytes as characters, the text is ASCII, which Latin-1 encodes to the same bytes faster.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  response.writeHead(delivery.status, headersOf(delivery, length)).end(body, encoding);
}

function writeHalf(delivery: Delivery, response: ServerResponse): void {
  const body = Buffer.from(delivery.body);
  const half = body.subarray(0, body.length >> 1);
  // `destroySoon` sends buffered data before the connection closes.
  response
    .writeHead(delivery.status, headersOf(delivery, body.length))
    .write(half, () => response.req.socket.destroySoon());
}

function headersOf({ status, retryAfter, headers: further = [] }: Delivery, length: number): string[] {
  const headers = ['content-type', 'application/json; charset=utf-8', 'content-length', String(length), ...further];
  if (retryAfter !== undefined) headers.push('retry-after', retryAfter);
  if (status >= 300 && status < 400) headers.push('location', '/elsewhere');
  return headers;
}

/** Destination of the events of one reply. */
export interface EventSink {
  /** Sends a text in a separate write. */
  write(text: string): void;
  end(how: StreamEnd): void;
}

/** End of a stream: complete in HTTP; or of its connection, after everything written was sent, by a reset or an early close. */
export type StreamEnd = 'whole' | 'reset' | 'closed' | SocketEnd;

const head = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Form of streamed replies: header fields besides the usual ones, or in their place, and the encoding of their texts. */
export interface StreamForm {
  head: Readonly<Record<string, string>>;
  /** `latin1`: each character is a byte. */
  encoding: 'utf8' | 'latin1';
}

/** Begins a stream of events on a connection of this process. */
export function openEvents(
  response: ServerResponse,
  connections: Connections,
  { head: own, encoding }: StreamForm = { head: {}, encoding: 'utf8' },
): EventSink {
  response.writeHead(200, { ...head, ...own });
  const { socket } = response.req;
  return {
    write: (text) => void response.write(text, encoding),
    end: (how) => {
      if (how === 'whole') response.end();
      // Nothing is written: the callback runs after everything written before was sent.
      else response.write('', () => (how === 'reset' ? connections.reset(socket) : socket.destroySoon()));
    },
  };
}

/** Sends a JSON document. */
export function sendJson(response: ServerResponse, status: number, document: object): void {
  const body = JSON.stringify(document);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

/** Counts the connections of a server, and resets them. */
export class Connections {
  /** Keyed by the client's address, because under TLS the socket of an exchange is not the one to reset. */
  readonly #open = new Map<string, Socket>();
  #total = 0;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket);
      // A connection is announced again if an upgrade on it was ignored.
      if (this.#open.get(name) === socket) return;
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
