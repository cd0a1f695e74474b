import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TargetCounts } from '../target.ts';
import { closing, contentEvent, opening } from './chunks.ts';
import type { StreamShape } from './stream-shape.ts';

/**
 * A target that answers every POST with a streamed chat completion, each event in its own write, and records the time of
 * every write by its own monotonic clock. Its argument is its shape. Its parent receives the port, and on request the
 * counts or the records.
 */
export interface StreamRecord {
  /** Number after `stream=` in the request; NaN if there is none. */
  key: number;
  /** Time from reading the request to writing the first content event. */
  firstMs: number;
  /** Times between writes of content events. */
  gapsMs: number[];
}

const { events, firstMs, gapMs, keepsRecords } = JSON.parse(process.argv[2] ?? '') as StreamShape;
const counts: TargetCounts = { created: 0, turns: 0, inFlight: 0, maxInFlight: 0, connections: 0, maxConnections: 0 };
/** Time of the first request and of the latest end of a reply; sum of times to first token, and number of content events. */
const span = { from: NaN, to: NaN, firstMs: 0, events: 0 };
export type StreamSpan = typeof span;
const records: StreamRecord[] = [];

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  // Peers probe the target before they begin.
  if (request.method === 'POST') stream(response, body);
  else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}

function stream(response: ServerResponse, request: string): void {
  const readAt = performance.now();
  if (Number.isNaN(span.from)) span.from = readAt;
  counts.maxInFlight = Math.max(counts.maxInFlight, ++counts.inFlight);
  const writtenAt: number[] = [];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(opening);
  const writeNext = (): void => {
    if (response.destroyed) {
      counts.inFlight--;
      return;
    }
    span.events++;
    writtenAt.push(performance.now());
    response.write(contentEvent(writtenAt.length - 1));
    if (events !== null && writtenAt.length >= events) end();
    else waitFor(readAt + firstMs + writtenAt.length * gapMs, writeNext);
    if (events === null) writtenAt.length = 0;
  };
  const end = (): void => {
    for (const event of closing) response.write(event);
    response.end();
    counts.inFlight--;
    counts.turns++;
    span.to = performance.now();
    span.firstMs += (writtenAt[0] ?? NaN) - readAt;
    if (keepsRecords) records.push(recordOf(request, readAt, writtenAt));
  };
  waitFor(readAt + firstMs, writeNext);
}

/** Waits until `due`; without gaps, until the next turn of the event loop. */
function waitFor(due: number, then: () => void): void {
  if (gapMs === 0 && firstMs === 0) setImmediate(then);
  else setTimeout(then, events === null ? gapMs : Math.max(0, due - performance.now()));
}

function recordOf(request: string, readAt: number, writtenAt: readonly number[]): StreamRecord {
  return {
    key: Number(/stream=(\d+)/.exec(request)?.[1]),
    firstMs: (writtenAt[0] ?? NaN) - readAt,
    gapsMs: writtenAt.slice(1).map((at, index) => at - (writtenAt[index] ?? NaN)),
  };
}

const server = createServer((request, response) => void serve(request, response));
server.on('connection', (socket) => {
  counts.maxConnections = Math.max(counts.maxConnections, ++counts.connections);
  socket.on('close', () => counts.connections--);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
const told: Readonly<Record<string, unknown>> = { counts, span, records };
process.on('message', (asked) => process.send?.(told[String(asked)]));
process.on('disconnect', () => process.exit());
