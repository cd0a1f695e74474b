import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { parseArgs } from 'node:util';
import { questions } from '../src/protocol/chat-messaging/questions.ts';

/**
 * A target as fast as one Node.js process can be, so that the generator limits a run: it keeps connections open, reads as
 * little as possible, answers each message with its session id and the words that integrity checks request, and counts. Its
 * parent receives the port, and the counts on request.
 */
const { values } = parseArgs({
  options: {
    reply: { type: 'string', default: '300' },
    chunked: { type: 'boolean', default: false },
    delay: { type: 'string', default: '0' },
    cert: { type: 'string' },
    key: { type: 'string' },
  },
});
const delayMs = Number(values.delay);
const counts = { created: 0, turns: 0, inFlight: 0, maxInFlight: 0, connections: 0, maxConnections: 0 };
export type TargetCounts = typeof counts;

const before = '{"success":true,"data":{"response":"';
// Every exchange has a unique id: a repeated one in a session would be a stale reply.
const after = '","chatId":"chat-';
const sessionKey = '","sessionId":"';
const end =
  '","isSession":true,"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z","cost":0.0001}}';
const sessionIdLength = 16;
const chatIdLength = 12;
const framing = (before + after + sessionKey + end).length + sessionIdLength + chatIdLength;
const filling = 'x'.repeat(Math.max(10, Number(values.reply) - framing));
const start = before + filling;
const marker = '"sessionId"';
const messageMarker = '"message"';

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  counts.connections++;
  counts.maxConnections = Math.max(counts.maxConnections, counts.connections);
  socket.on('close', () => counts.connections--);
  let held = '';
  socket.on('data', (bytes) => {
    held += bytes.toString('latin1');
    // One exchange at a time per connection: the buffer holds one request or a part of it.
    const headEnd = held.indexOf('\r\n\r\n');
    if (headEnd === -1 || held.length < headEnd + 4 + lengthOf(held, headEnd)) return;
    const request = held;
    held = '';
    answer(socket, request, headEnd);
  });
}

function lengthOf(request: string, headEnd: number): number {
  const at = request.lastIndexOf('ength:', headEnd);
  return at === -1 ? 0 : Number.parseInt(request.slice(at + 6, headEnd), 10);
}

function answer(socket: Socket, request: string, headEnd: number): void {
  if (request.startsWith('POST /api/developer/chat/sessions')) {
    const body = `{"success":true,"data":{"sessionId":"s-${String(1e13 + ++counts.created)}"}}`;
    socket.write(`HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n${framed(body)}`, 'latin1');
    return;
  }
  // Some clients write a space after the colon.
  const idStart = request.indexOf('"', request.indexOf(marker, headEnd) + marker.length) + 1;
  const sessionId = request.slice(idStart, request.indexOf('"', idStart));
  const chatId = String(1e11 + counts.turns + counts.inFlight);
  const reply = start + wordsFor(sessionId, request, headEnd) + after + chatId + sessionKey + sessionId + end;
  if (delayMs === 0) return reward(socket, reply);
  counts.maxInFlight = Math.max(counts.maxInFlight, ++counts.inFlight);
  setTimeout(() => {
    counts.inFlight--;
    reward(socket, reply);
  }, delayMs);
}

/** Returns the words requested by active integrity checks: the tag, and the session's code. */
function wordsFor(sessionId: string, request: string, headEnd: number): string {
  const messageAt = request.indexOf(messageMarker, headEnd);
  const tag = wordAfter(request, questions.echo(''), messageAt);
  if (tag === '') return '';
  const told = wordAfter(request, questions.remember(''), messageAt);
  if (told !== '') remember(sessionId, told);
  const asked = request.includes(questions.recall, messageAt);
  return ` ${tag}${asked ? ` ${codes.get(sessionId) ?? ''}` : ''}`;
}

/** Returns the word that follows a text in the message, up to a space or the message's end; empty if there is none. */
function wordAfter(request: string, text: string, from: number): string {
  const at = request.indexOf(text, from);
  if (at === -1) return '';
  return /[^\s"\\]*/.exec(request.slice(at + text.length, at + text.length + 64))?.[0] ?? '';
}

/** Codes of the most recent sessions; no session of the bench lives long enough to be evicted. */
const codes = new Map<string, string>();
const maxCodes = 10_000;

function remember(sessionId: string, code: string): void {
  codes.set(sessionId, code);
  if (codes.size <= maxCodes) return;
  for (const oldest of codes.keys()) {
    codes.delete(oldest);
    return;
  }
}

function reward(socket: Socket, reply: string): void {
  counts.turns++;
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${framed(reply)}`, 'latin1');
}

/** Returns the end of the head and the body, with a length or in chunks of up to 1,024 bytes. */
const framed = (body: string): string =>
  values.chunked ? inChunks(body) : `Content-Length: ${String(body.length)}\r\n\r\n${body}`;

function inChunks(body: string): string {
  let text = 'Transfer-Encoding: chunked\r\n\r\n';
  for (let at = 0; at < body.length; at += 1024) {
    const piece = body.slice(at, at + 1024);
    text += `${piece.length.toString(16)}\r\n${piece}\r\n`;
  }
  return `${text}0\r\n\r\n`;
}

const server =
  values.cert === undefined || values.key === undefined
    ? createServer(serve)
    : createTlsServer({ cert: readFileSync(values.cert), key: readFileSync(values.key) }, serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
process.on('message', () => process.send?.(counts));
process.on('disconnect', () => process.exit());
