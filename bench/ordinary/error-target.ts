import { readFileSync } from 'node:fs';
import { createServer as createPlain, type Socket } from 'node:net';
import { createServer as createSecure } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A chat completion service that records by its own clock what its replies took. Its argument is its shape; its parent receives
 * the port, and the record on request.
 */
export interface ErrorShape {
  /** Median of a lognormal time until a reply, or its first event, in milliseconds, and its sigma. */
  medianMs: number;
  sigma: number;
  /** Events of a streamed reply and the gap between them; absent for non-streamed replies. */
  stream?: { events: number; gapMs: number; sigma: number; isTogether?: boolean };
  /** True to serve TLS, and to close every connection after its reply. */
  isTls?: boolean;
}

/** Times in milliseconds: of turns and first events since the request was read, or its connection was accepted for it, and gaps. */
export interface ErrorRecord {
  turn: number[];
  firstToken: number[];
  gap: number[];
}

const shape = JSON.parse(process.argv[2] ?? '{}') as ErrorShape;
const record: ErrorRecord = { turn: [], firstToken: [], gap: [] };

/** Accept instants of raw connections without a request yet, by the remote port. */
const accepted = new Map<number | undefined, number>();

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

const lognormal = (medianMs: number, sigma: number): number => medianMs * Math.exp(sigma * normal());

/** Waits until an instant of this process; a timer alone is up to a millisecond late. */
async function waitUntil(at: number): Promise<void> {
  for (let left = at - performance.now(); left > 0; left = at - performance.now()) await wait(Math.max(1, left));
}

/** Reads one request at a time; sockets without a parser, so that the time of this process until it reads is short. */
function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  let held = '';
  socket.on('data', (bytes) => {
    const readAt = performance.now();
    held += bytes.toString('latin1');
    const headEnd = held.indexOf('\r\n\r\n');
    const length = Number(/content-length: *(\d+)/i.exec(held)?.[1] ?? 0);
    if (headEnd === -1 || held.length < headEnd + 4 + length) return;
    held = '';
    void reply(socket, readAt);
  });
}

async function reply(socket: Socket, readAt: number): Promise<void> {
  const { medianMs, sigma, stream, isTls } = shape;
  const startedAt = accepted.get(socket.remotePort) ?? readAt;
  accepted.delete(socket.remotePort);
  if (stream === undefined) {
    await waitUntil(readAt + lognormal(medianMs, sigma));
    if (isTls === true) socket.end(head('close') + completion);
    else socket.write(head('keep-alive') + completion);
    record.turn.push(performance.now() - startedAt);
    return;
  }
  let due = readAt + lognormal(medianMs, sigma);
  let before: number | undefined;
  for (let event = 0; event < stream.events; event++) {
    // All streams write at common instants, so that their events arrive together.
    await waitUntil(stream.isTogether === true ? Math.ceil(due / stream.gapMs) * stream.gapMs : due);
    const isLast = event === stream.events - 1;
    socket.write((event === 0 ? streamHead : '') + chunkOf(eventOf(isLast)) + (isLast ? streamEnd : ''));
    const at = performance.now();
    if (before === undefined) record.firstToken.push(at - startedAt);
    else record.gap.push(at - before);
    before = at;
    due = at + (stream.isTogether === true ? stream.gapMs / 2 : lognormal(stream.gapMs, stream.sigma));
  }
  record.turn.push((before ?? NaN) - startedAt);
}

const completion = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
});

const head = (connection: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: ${connection}\r\nContent-Length: ${String(completion.length)}\r\n\r\n`;
const streamHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const streamEnd = `${chunkOf('data: [DONE]\n\n')}0\r\n\r\n`;

function eventOf(isLast: boolean): string {
  const choice = { index: 0, delta: { content: 'word ' }, finish_reason: isLast ? 'stop' : null };
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] })}\n\n`;
}

const fixtures = fileURLToPath(new URL('../../test/fixtures', import.meta.url));
const pem = (kind: string): Buffer => readFileSync(join(fixtures, `test-only-localhost.${kind}.pem`));
const server = shape.isTls === true ? createSecure({ cert: pem('cert'), key: pem('key') }, serve) : createPlain(serve);
server.on('connection', (socket: Socket) => {
  socket.setNoDelay(true);
  accepted.set(socket.remotePort, performance.now());
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
process.on('message', () => process.send?.(record));
process.on('disconnect', () => process.exit());
