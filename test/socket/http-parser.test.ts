import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FastResponse } from '../../src/edge/http/response/fast-response.ts';
import { keepAliveSeconds } from '../../src/edge/http/response/response-reading.ts';
import { ResponseParser } from '../../src/edge/http/response/response-parser.ts';
import { responseStreams } from '../support/http-response-streams.ts';

const limits = { maxHeadBytes: 64 * 1024, maxBodyBytes: 64 * 1024 };
/** More cases by hand: HTTP_FUZZ_CASES=50000. */
const runs = { seed: 4711, numRuns: Number(process.env['HTTP_FUZZ_CASES'] ?? 2000) };

const parse = (pieces: readonly Buffer[]): ResponseParser => {
  const parser = new ResponseParser(limits);
  for (const piece of pieces) parser.feed(piece);
  parser.end();
  return parser;
};

const answerOf = (parser: ResponseParser) => ({
  phase: parser.phase,
  messagesBegun: parser.messagesBegun,
  head: parser.head,
  body: parser.body.text(),
});

describe('the slow path', () => {
  test('returns the same answer, however the stream is cut', () => {
    const ends = new Map<string, number>();
    fc.assert(
      fc.property(responseStreams, ({ pieces }) => {
        const bytes = Buffer.concat(pieces);
        const whole = parse([bytes]);
        ends.set(whole.phase, (ends.get(whole.phase) ?? 0) + 1);
        expect(answerOf(parse(pieces))).toEqual(answerOf(whole));
        expect(answerOf(parse([...bytes].map((byte) => Buffer.from([byte]))))).toEqual(answerOf(whole));
      }),
      runs,
    );
    for (const phase of ['complete', 'malformed', 'lost']) expect(ends.get(phase)).toBeGreaterThan(runs.numRuns / 20);
  });

  test('is ready for the next response after a reset', () => {
    fc.assert(
      fc.property(responseStreams, responseStreams, (first, second) => {
        const parser = new ResponseParser(limits);
        for (const piece of first.pieces) parser.feed(piece);
        parser.reset();
        for (const piece of second.pieces) parser.feed(piece);
        parser.end();
        expect(answerOf(parser)).toEqual(answerOf(parse(second.pieces)));
      }),
      runs,
    );
  });
});

describe('the fast path', () => {
  test('answers as the slow path does, whatever an earlier read has left in the buffer', () => {
    const fast = new FastResponse(limits);
    const buffer = Buffer.alloc(64 * 1024);
    let answered = 0;
    let chunked = 0;
    fc.assert(
      fc.property(responseStreams, ({ pieces }) => {
        const bytes = Buffer.concat(pieces);
        bytes.copy(buffer);
        if (!fast.read(buffer, bytes.length)) {
          // The slow path receives the original bytes.
          expect(buffer.compare(bytes, 0, bytes.length, 0, bytes.length)).toBe(0);
          return;
        }
        answered++;
        if (bytes.includes('\r\n0\r\n\r\n')) chunked++;
        const parser = new ResponseParser(limits);
        expect(parser.feed(bytes)).toBe(bytes.length);
        expect({
          phase: 'complete',
          status: fast.status,
          body: buffer.toString('utf8', fast.bodyStart, fast.bodyEnd),
          retryAfter: fast.retryAfter,
          waits: fast.waits,
          date: fast.date,
          isPersistent: fast.isPersistent,
          announced: fast.keepAliveSeconds,
        }).toEqual({
          phase: parser.phase,
          status: parser.finalHead?.status,
          body: parser.body.text(),
          retryAfter: parser.head.retryAfter,
          waits: parser.head.waits,
          date: parser.head.date,
          isPersistent: parser.head.isPersistent,
          announced: keepAliveSeconds(parser.head.keepAlive ?? ''),
        });
      }),
      runs,
    );
    expect(answered).toBeGreaterThan(runs.numRuns / 20);
    expect(chunked).toBeGreaterThan(runs.numRuns / 400);
  });

  test('takes nothing that its limits forbid', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789');
    expect(new FastResponse({ maxHeadBytes: 39, maxBodyBytes: 10 }).read(bytes, bytes.length)).toBe(true);
    expect(new FastResponse({ maxHeadBytes: 38, maxBodyBytes: 10 }).read(bytes, bytes.length)).toBe(false);
    expect(new FastResponse({ maxHeadBytes: 39, maxBodyBytes: 9 }).read(bytes, bytes.length)).toBe(false);
  });
});
