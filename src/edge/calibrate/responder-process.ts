import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TakenTimes } from '../../result/sections/calibration.ts';
import { answerTo, isCreation, maxRequestLength, sessionIdIn, wholeRequest } from './responder.ts';

/**
 * Messages to a process that answers every request at once, over HTTP/1.1 or HTTP/2. Once it holds replies, it also records
 * by its own clock, for each session, the time of the creation and of each turn, from the end of the request to the start
 * of the reply. It starts listening as soon as it is forked, reports its port, and ends with its parent process.
 */
export type ToResponder =
  /** Resets the account, and holds replies to turns from now on. */
  { kind: 'hold'; holdMs: number } | { kind: 'account' };

export type FromResponder =
  { kind: 'listening'; port: number } | { kind: 'holding' } | { kind: 'account'; sessions: TakenTimes[] };

interface Account {
  createMs: number;
  turnMs: number[];
}

/** `undefined`: nothing is held or recorded. */
let holdMs: number | undefined;
const sessions = new Map<string, Account>();
const http2 = createHttp2Server();
const server = createServer(serve);

// A signal without a listener would end the process; it ends when the generator's does.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', obey);
http2.on('stream', (stream, { ':path': path = '' }) => void answerStream(stream, path));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  report({ kind: 'listening', port: (server.address() as AddressInfo).port }),
);

function obey(message: ToResponder): void {
  if (message.kind === 'account') return report({ kind: 'account', sessions: [...sessions.values()] });
  sessions.clear();
  ({ holdMs } = message);
  report({ kind: 'holding' });
}

function serve(socket: Socket): void {
  let waiting = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  const take = (bytes: Buffer): void => {
    if (waiting === '' && bytes.toString('latin1', 0, 4) === 'PRI ') return speakHttp2(socket, take, bytes);
    waiting = waiting === '' ? bytes.toString('latin1') : waiting + bytes.toString('latin1');
    const request = wholeRequest(waiting);
    if (request === undefined) {
      if (waiting.length > maxRequestLength) socket.destroy();
      return;
    }
    waiting = '';
    if (holdMs === undefined) socket.write(answerTo(request), 'latin1');
    else answerTimed(socket, request, holdMs);
  };
  socket.on('data', take);
}

function answerTimed(socket: Socket, request: string, heldMs: number): void {
  const arrivedAt = performance.now();
  if (!isCreation(request)) return void setTimeout(() => reply(socket, request, arrivedAt), heldMs);
  const answer = answerTo(request);
  sessions.set(sessionIdIn(answer), { createMs: performance.now() - arrivedAt, turnMs: [] });
  socket.write(answer, 'latin1');
}

function reply(socket: Socket, request: string, arrivedAt: number): void {
  const answer = answerTo(request);
  sessions.get(sessionIdIn(request))?.turnMs.push(performance.now() - arrivedAt);
  socket.write(answer, 'latin1');
}

function speakHttp2(socket: Socket, take: (bytes: Buffer) => void, begun: Buffer): void {
  socket.off('data', take);
  socket.pause();
  socket.unshift(begun);
  http2.emit('connection', socket);
}

async function answerStream(stream: ServerHttp2Stream, path: string): Promise<void> {
  stream.on('error', () => undefined);
  const body = await text(stream);
  const answer = answerTo(`POST ${path} HTTP/2\r\n\r\n${body}`);
  const [head = '', reply = ''] = answer.split('\r\n\r\n');
  if (stream.destroyed) return;
  stream.respond({ ':status': Number(head.split(' ')[1]), 'content-type': 'application/json' });
  stream.end(reply);
}

function report(message: FromResponder): void {
  process.send?.(message);
}
