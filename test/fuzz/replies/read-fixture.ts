import type { ChatRequest, Verdict } from '../../../src/protocol/protocol.ts';
import { unobserved } from '../../../src/protocol/socket-api.ts';
import type { Exchange } from '../../../src/session/send.ts';
import { saying } from '../../support/stream-events.ts';
import type { Fixture } from './fixtures.ts';
import { plainWriting, socketBytes, writeParts, type Part, type Writing } from './parts.ts';
import { answerOf, readBlocks, readFrames } from './reader.ts';

/** How a body is delimited: by its length, by chunks, or by the end of the connection. */
export type Framing = 'length' | 'chunks' | 'close';

/** Returns the bytes of a whole response, or of frames, with these parts. */
export function bytesOf(
  fixture: Fixture,
  { parts = fixture.parts, writing = plainWriting }: { parts?: readonly Part[]; writing?: Writing } = {},
): Buffer {
  return fixture.form === 'frames' ? socketBytes(parts) : writeParts(fixture.form, parts, writing);
}

/** Puts a body into a response; frames have none. */
export function respond({ form, status, contentType }: Fixture, body: Buffer, framing: Framing = 'length'): Buffer {
  if (form === 'frames') return body;
  const field = {
    length: `Content-Length: ${String(body.length)}\r\n`,
    chunks: 'Transfer-Encoding: chunked\r\n',
    close: '',
  }[framing];
  const head = Buffer.from(`HTTP/1.1 ${String(status)} OK\r\nContent-Type: ${contentType}\r\n${field}\r\n`);
  return Buffer.concat([head, framing === 'chunks' ? chunked(body) : body]);
}

/** Divides a body into chunks of different sizes. */
function chunked(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const size = Math.min(body.length - at, 1 + ((7 * at) % 300));
    chunks.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

/** Reads a response, or the frames of a reply, in blocks. */
export function readFixture(fixture: Fixture, blocks: readonly Buffer[]): { verdict: Verdict; text: string } {
  const api = fixture.open();
  const { creation } = api.forSession?.(1, unobserved) ?? api;
  const exchangeOf = ({ route, socket }: ChatRequest): Exchange =>
    fixture.form !== 'frames' || socket === undefined
      ? readBlocks(route, blocks)
      : readFrames(socket, route, { blocks });
  if (fixture.isCreation === true && creation !== undefined) {
    const verdict = creation.read(exchangeOf(creation.request));
    return { verdict, text: JSON.stringify({ ...verdict, reply: { ...verdict.reply, data: undefined } }) };
  }
  const conversation = api.converse('session-1');
  return answerOf(conversation, exchangeOf(conversation.request(saying('Hello'))));
}

/** Splits bytes at these positions. */
export function splitAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places)].filter((place) => place < bytes.length).toSorted((a, b) => a - b);
  return [0, ...ends].map((from, index) => bytes.subarray(from, ends[index] ?? bytes.length));
}

/** Splits bytes into blocks of one size. */
export function blocksOf(bytes: Buffer, size: number): Buffer[] {
  return splitAt(
    bytes,
    Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => size * (index + 1)),
  );
}
