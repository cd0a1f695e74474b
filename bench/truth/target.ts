import { createServer, type Socket } from 'node:net';
import { waitsOf, type DelayModel } from './delay-model.ts';

/**
 * A target that records, by its own monotonic clock, when the last byte of each creation and message arrived and when
 * its reply was written. Its argument is its distribution. Its parent receives the port, and the records on request.
 */
export interface Account {
  /** Times of creations in milliseconds of the target's clock, in order of arrival. */
  creations: number[];
  messages: { session: number; at: number; repliedAt: number }[];
}

const waitOf = waitsOf(JSON.parse(process.argv[2] ?? '') as DelayModel);
const account: Account = { creations: [], messages: [] };

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  let held = '';
  socket.on('data', (bytes) => {
    held += bytes.toString('latin1');
    // One exchange at a time per connection: the buffer holds one request or a part of it.
    const headEnd = held.indexOf('\r\n\r\n');
    if (headEnd === -1 || held.length < headEnd + 4 + lengthOf(held)) return;
    const request = held;
    held = '';
    if (request.startsWith('POST /v1/chat/completions ')) complete(socket);
    else if (request.startsWith('POST /api/developer/chat/sessions ')) create(socket);
    else reply(socket, Number(/"sessionId":"(\d+)"/.exec(request)?.[1]));
  });
}

const lengthOf = (request: string): number => Number(/content-length: *(\d+)/i.exec(request)?.[1] ?? 0);

function create(socket: Socket): void {
  account.creations.push(performance.now());
  send(socket, '201 Created', `{"success":true,"data":{"sessionId":"${String(account.creations.length)}"}}`);
}

function reply(socket: Socket, session: number, body = bodyOf): void {
  const message = { session, at: performance.now(), repliedAt: NaN };
  const exchange = account.messages.push(message);
  const end = (): void => {
    send(socket, '200 OK', body(session, exchange));
    message.repliedAt = performance.now();
  };
  const waitMs = waitOf(message.at - (account.creations[0] ?? message.at));
  if (waitMs === 0) end();
  else setTimeout(end, waitMs);
}

/** Answers a chat completion. The protocol has no creations, so the first message counts as the first creation. */
function complete(socket: Socket): void {
  if (account.creations.length === 0) account.creations.push(performance.now());
  reply(socket, 0, completionOf);
}

function send(socket: Socket, status: string, body: string): void {
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n`;
  socket.write(head + body, 'latin1');
}

const bodyOf = (session: number, exchange: number): string =>
  `{"success":true,"data":{"response":"Hello.","chatId":"c${String(exchange)}","sessionId":"${String(session)}","isSession":true,` +
  '"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}}';

const completionOf = (_: number, exchange: number): string =>
  `{"id":"c${String(exchange)}","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop",` +
  '"message":{"role":"assistant","content":"Hello."}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}';

const server = createServer(serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
process.on('message', () => process.send?.(account));
process.on('disconnect', () => process.exit());
