import { describe, expect, test } from 'vitest';
import { ResponseParser } from './response-parser.ts';

const limits = { maxHeadBytes: 100, maxBodyBytes: 20 };

const parse = (text: string): ResponseParser => {
  const parser = new ResponseParser(limits);
  parser.feed(Buffer.from(text, 'latin1'));
  return parser;
};

describe('a response', () => {
  test('is complete at its last byte, and takes none after it', () => {
    const parser = new ResponseParser(limits);
    const text = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
    expect(parser.feed(Buffer.from(`${text}HTTP/1.1 200`))).toBe(text.length);
    expect(parser.phase).toBe('complete');
    expect(parser.feed(Buffer.from('more'))).toBe(0);
  });

  test('keeps its headers as received, without white space around the values', () => {
    const { head } = parse('HTTP/1.1 200 OK\r\nA-b: \t x  y \t\r\nA-B:\r\n\r\n');
    expect(head.headers).toEqual([
      ['A-b', 'x  y'],
      ['A-B', ''],
    ]);
  });

  test.each([
    ['HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', true],
    ['HTTP/1.1 200\r\nContent-Length: 0\r\nConnection: x, CLOSE\r\n\r\n', false],
    ['HTTP/1.0 200\r\nContent-Length: 0\r\n\r\n', false],
    ['HTTP/1.0 200\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n', true],
    ['HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', true],
    ['HTTP/1.1 204\r\n\r\n', true],
  ])('%j leaves its connection usable: %s', (text, isPersistent) => {
    const parser = parse(text);
    expect(parser.phase).toBe('complete');
    expect(parser.head.isPersistent).toBe(isPersistent);
  });

  test('without a length ends with the stream, and its connection is used up', () => {
    const parser = parse('HTTP/1.1 200\r\n\r\nbody');
    expect(parser.phase).toBe('open_body');
    parser.end();
    expect(parser.phase).toBe('complete');
    expect(parser.head.isPersistent).toBe(false);
  });

  test('may follow interim ones, of which only the first byte is reported', () => {
    const parser = parse('\r\nHTTP/1.1 103\r\nRetry-After: 1\r\n\r\n');
    expect([parser.phase, parser.messagesBegun, parser.finalHead]).toEqual(['before', 1, undefined]);
    parser.feed(Buffer.from('HTTP/1.1 200\r\nContent-Length: 1\r\n\r\n'));
    expect([parser.phase, parser.messagesBegun, parser.finalHead?.status]).toEqual(['sized_body', 2, 200]);
    expect(parser.head.retryAfter).toBeUndefined();
  });

  test('has U+FFFD for bytes of its body that are not UTF-8', () => {
    expect(parse('HTTP/1.1 200\r\nContent-Length: 3\r\n\r\na\xffb').body.text()).toBe('a\ufffdb');
  });
});

describe('the limits', () => {
  const head = (length: number): string => `HTTP/1.1 200\r\nX: ${'x'.repeat(length - 21)}\r\n\r\n`;

  test('on the head count every line, up to the last byte allowed', () => {
    expect(head(100)).toHaveLength(100);
    expect(parse(head(100)).phase).toBe('open_body');
    expect(parse(head(101)).phase).toBe('malformed');
    expect(parse(head(200).slice(0, 101)).phase).toBe('malformed');
  });

  test('begin again after a reset', () => {
    const parser = new ResponseParser(limits);
    for (let count = 0; count < 3; count++) {
      parser.feed(Buffer.from(`${head(90)}${'x'.repeat(15)}`));
      expect(parser.phase).toBe('open_body');
      parser.reset();
    }
  });

  test('on the head count interim responses and trailers too', () => {
    const interim = 'HTTP/1.1 103\r\n\r\n';
    expect(parse(interim.repeat(6)).phase).toBe('before');
    expect(parse(interim.repeat(7)).phase).toBe('malformed');
    const chunked = 'HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n';
    expect(parse(`${chunked}X: ${'x'.repeat(40)}`).phase).toBe('trailer');
    expect(parse(`${chunked}X: ${'x'.repeat(80)}`).phase).toBe('malformed');
  });

  test('on the body hold for every framing, up to the last byte allowed', () => {
    const sized = (length: number): string => `HTTP/1.1 200\r\nContent-Length: ${String(length)}\r\n\r\n`;
    const chunked = 'HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(parse(sized(20)).phase).toBe('sized_body');
    expect(parse(sized(21)).phase).toBe('malformed');
    expect(parse(sized(2 ** 53) + 'x').phase).toBe('malformed');
    expect(parse(`HTTP/1.1 200\r\nContent-Length: ${'9'.repeat(60)}\r\n\r\n`).phase).toBe('malformed');
    expect(parse(`${chunked}a\r\n0123456789\r\na\r\n`).phase).toBe('chunk');
    expect(parse(`${chunked}a\r\n0123456789\r\nb\r\n`).phase).toBe('malformed');
    expect(parse(`${chunked}ffffffffffffffff\r\n`).phase).toBe('malformed');
    expect(parse(`HTTP/1.1 200\r\n\r\n${'x'.repeat(20)}`).phase).toBe('open_body');
    expect(parse(`HTTP/1.1 200\r\n\r\n${'x'.repeat(21)}`).phase).toBe('malformed');
  });

  test('do not count the sizes of chunks as head', () => {
    const chunk = `1;${'x'.repeat(60)}\r\na\r\n`;
    expect(parse(`HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(10)}`).phase).toBe('chunk_size');
  });
});

describe('a coding that was not requested', () => {
  test.each([
    ['Content-Encoding: gzip', 'malformed'],
    ['Content-Encoding: identity', 'open_body'],
    ['Content-Encoding:', 'open_body'],
    ['Transfer-Encoding: gzip, chunked', 'malformed'],
    ['Transfer-Encoding: identity', 'open_body'],
    ['Transfer-Encoding: identity, chunked', 'chunk_size'],
  ])('is malformed: %s leads to %s', (line, phase) => {
    expect(parse(`HTTP/1.1 200\r\n${line}\r\n\r\n`).phase).toBe(phase);
  });
});

test('a chunk ends at its own end, even if the buffer still contains bytes that would complete it', () => {
  const parser = new ResponseParser(limits);
  const shared = Buffer.alloc(100);
  const feed = (text: string): number => parser.feed(shared, shared.write(text));
  feed('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  feed('5\r\nhello\r\n');
  expect(feed('5\r\nh')).toBe(4);
  expect(parser.body.text()).toBe('helloh');
  feed('ere!\r\n0\r\n\r\n');
  expect([parser.phase, parser.body.text()]).toEqual(['complete', 'hellohere!']);
});
