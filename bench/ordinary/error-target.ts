import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

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

/** Times in milliseconds: of turns and first events since the request was read (with TLS since its connection was accepted), and gaps. */
export interface ErrorRecord {
  turn: number[];
  firstToken: number[];
  gap: number[];
}

const shape = JSON.parse(process.argv[2] ?? '{}') as ErrorShape;
const record: ErrorRecord = { turn: [], firstToken: [], gap: [] };

/** Accept instants of raw connections, by the remote port. */
const accepted = new Map<number | undefined, number>();

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

const lognormal = (medianMs: number, sigma: number): number => medianMs * Math.exp(sigma * normal());

/** Waits until an instant of this process; a timer alone is up to a millisecond late. */
async function waitUntil(at: number): Promise<void> {
  for (let left = at - performance.now(); left > 0; left = at - performance.now()) await wait(Math.max(1, left));
}

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  await once(request, 'end');
  const readAt = performance.now();
  const startedAt = shape.isTls === true ? (accepted.get(request.socket.remotePort) ?? readAt) : readAt;
  const { medianMs, sigma, stream, isTls } = shape;
  if (isTls === true) response.setHeader('connection', 'close');
  if (stream === undefined) {
    await waitUntil(readAt + lognormal(medianMs, sigma));
    response.setHeader('content-type', 'application/json');
    response.end(completion);
    record.turn.push(performance.now() - startedAt);
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  response.flushHeaders();
  let due = readAt + lognormal(medianMs, sigma);
  let before: number | undefined;
  for (let event = 0; event < stream.events; event++) {
    // All streams write at common instants, so that their events arrive together.
    await waitUntil(stream.isTogether === true ? Math.ceil(due / stream.gapMs) * stream.gapMs : due);
    response.write(chunk(event === stream.events - 1));
    const at = performance.now();
    if (before === undefined) record.firstToken.push(at - startedAt);
    else record.gap.push(at - before);
    before = at;
    due = at + (stream.isTogether === true ? stream.gapMs / 2 : lognormal(stream.gapMs, stream.sigma));
  }
  response.end('data: [DONE]\n\n');
  record.turn.push(performance.now() - startedAt);
}

const completion = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
});

function chunk(isLast: boolean): string {
  const choice = { index: 0, delta: { content: 'word ' }, finish_reason: isLast ? 'stop' : null };
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] })}\n\n`;
}

const pem = (kind: string): Buffer =>
  readFileSync(new URL(`../../test/fixtures/test-only-localhost.${kind}.pem`, import.meta.url));
const listener = (request: IncomingMessage, response: ServerResponse): void => void reply(request, response);
const server =
  shape.isTls === true ? createHttps({ cert: pem('cert'), key: pem('key') }, listener) : createHttp(listener);
server.on('connection', (socket: Socket) => {
  socket.setNoDelay(true);
  accepted.set(socket.remotePort, performance.now());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
process.on('message', () => process.send?.(record));
process.on('disconnect', () => process.exit());
