import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { TakenTimes } from '../../result/sections/reading-errors.ts';
import { answerTo, isCreation, longestRequest, sessionIdIn, wholeRequest } from './responder.ts';

/**
 * A responder that records by its own clock, for each session how long it took over the creation and over each
 * turn, from the moment it had read the whole request to the moment at which it began to write the reply. Starts
 * listening as soon as it is forked, reports its port, and ends with the process that started it.
 */
export type ToTimedResponder =
  /** Forgets the account, and holds replies to turns from now on. */
  { kind: 'hold'; holdMs: number } | { kind: 'account' };

export type FromTimedResponder =
  { kind: 'listening'; port: number } | { kind: 'holding' } | { kind: 'account'; sessions: TakenTimes[] };

interface Account {
  createMs: number;
  turnMs: number[];
}

let holdMs = 0;
const sessions = new Map<string, Account>();
const server = createServer(serve);

process.on('SIGINT', ignore);
process.on('SIGTERM', ignore);
process.on('SIGHUP', ignore);
process.on('disconnect', () => process.exit());
process.on('message', obey);
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  report({ kind: 'listening', port: (server.address() as AddressInfo).port }),
);

function obey(message: ToTimedResponder): void {
  if (message.kind === 'account') return report({ kind: 'account', sessions: [...sessions.values()] });
  sessions.clear();
  ({ holdMs } = message);
  report({ kind: 'holding' });
}

function serve(socket: Socket): void {
  let waiting = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    const cameAt = performance.now();
    waiting += bytes.toString('latin1');
    const request = wholeRequest(waiting);
    if (request === undefined) {
      if (waiting.length > longestRequest) socket.destroy();
      return;
    }
    waiting = '';
    if (isCreation(request)) create(socket, request, cameAt);
    else setTimeout(() => reply(socket, request, cameAt), holdMs);
  });
}

function create(socket: Socket, request: string, cameAt: number): void {
  const answer = answerTo(request);
  sessions.set(sessionIdIn(answer), { createMs: performance.now() - cameAt, turnMs: [] });
  socket.write(answer, 'latin1');
}

function reply(socket: Socket, request: string, cameAt: number): void {
  const answer = answerTo(request);
  sessions.get(sessionIdIn(request))?.turnMs.push(performance.now() - cameAt);
  socket.write(answer, 'latin1');
}

function report(message: FromTimedResponder): void {
  process.send?.(message);
}

function ignore(): void {
  // A signal without a listener would end the process; it ends when the generator's does.
}
