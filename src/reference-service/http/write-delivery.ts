import type { ServerResponse } from 'node:http';
import type { Connections } from './connections.ts';
import type { Delivery } from './delivery.ts';

/** Does to the connection what the delivery says. Returns whether a whole response was written. */
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
  const body = hasNoBody(delivery.status) ? '' : delivery.body;
  const length = Buffer.byteLength(body);
  // As many bytes as characters means ASCII only, for which Latin-1 gives the same bytes faster.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  response.writeHead(delivery.status, headersOf(delivery, length)).end(body, encoding);
}

function writeHalf(delivery: Delivery, response: ServerResponse): void {
  const body = Buffer.from(delivery.body);
  const half = body.subarray(0, body.length >> 1);
  // `destroySoon` lets what was written go out before the connection closes.
  response
    .writeHead(delivery.status, headersOf(delivery, body.length))
    .write(half, () => response.req.socket.destroySoon());
}

function headersOf({ status, retryAfter }: Delivery, length: number): string[] {
  const headers = ['content-type', 'application/json; charset=utf-8', 'content-length', String(length)];
  if (retryAfter !== undefined) headers.push('retry-after', retryAfter);
  if (status >= 300 && status < 400) headers.push('location', '/elsewhere');
  return headers;
}

const hasNoBody = (status: number): boolean => status === 204 || status === 304;

/** Where the events of one reply go. */
export interface EventSink {
  /** Sends text by itself. */
  write(text: string): void;
  /** Ends the response. */
  end(how: StreamEnd): void;
}

/** How a stream ends: as HTTP wants it; or the connection does, once what was written is out, by a reset or closed early. */
export const streamEnds = ['whole', 'reset', 'closed'] as const;
export type StreamEnd = (typeof streamEnds)[number];

const head = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Answers with a stream of events on a connection of this process. */
export function openEvents(response: ServerResponse, connections: Connections): EventSink {
  response.writeHead(200, head);
  const { socket } = response.req;
  return {
    write: (text) => void response.write(text),
    end: (how) => {
      if (how === 'whole') response.end();
      // Nothing is written: the callback comes after all that was.
      else response.write('', () => (how === 'reset' ? connections.reset(socket) : socket.destroySoon()));
    },
  };
}

/** Answers with a JSON document. */
export function sendJson(response: ServerResponse, status: number, document: object): void {
  const body = JSON.stringify(document);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}
