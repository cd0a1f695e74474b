import { describe, expect, test } from 'vitest';
import { FastResponse } from './fast-response.ts';
import { ResponseParser } from './response-parser.ts';

const read = (text: string): FastResponse | undefined => {
  const fast = new FastResponse({ maxHeadBytes: 1000, maxBodyBytes: 1000 });
  const bytes = Buffer.from(text, 'latin1');
  return fast.read(bytes, bytes.length) ? fast : undefined;
};

/** Response of a chat service on Fastify. */
const usual = [
  'HTTP/1.1 200 OK',
  'content-type: application/json; charset=utf-8',
  'Content-Length: 2',
  'Date: Mon, 01 Jan 2024 00:00:00 GMT',
  'Connection: keep-alive',
  'Keep-Alive: timeout=72',
  '',
  '{}',
].join('\r\n');

describe('the fast path', () => {
  test('handles the usual answers of services', () => {
    expect(read(usual)).toMatchObject({ status: 200, isPersistent: true, keepAliveSeconds: 72, bodyEnd: usual.length });
    expect(
      read('HTTP/1.1 429 Slow\r\nRETRY-AFTER:  9 \r\ncontent-length:0\r\nCONNECTION: Close\r\n\r\n'),
    ).toMatchObject({
      status: 429,
      retryAfter: '9',
      isPersistent: false,
    });
  });

  test.each([
    ['nothing', ''],
    ['a part', usual.slice(0, -1)],
    ['more than the response', `${usual}x`],
    ['HTTP/1.0', usual.replace('1.1', '1.0')],
    ['http/1.1', usual.replace('HTTP', 'http')],
    ['an interim response', usual.replace('200', '103')],
    ['204', usual.replace('200 OK', '204')],
    ['a status of four digits', usual.replace('200', '2000')],
    ['no length', usual.replace('Content-Length', 'Content-Lengths')],
    ['two lengths', usual.replace('Date: ', 'Content-Length: 2\r\nDate: ')],
    ['a length that is none', usual.replace('Length: 2', 'Length: 2,2')],
    ['chunks and a length', usual.replace('Date: ', 'Transfer-Encoding: chunked\r\nDate: ')],
    ['another coding', 'HTTP/1.1 200\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n'],
    ['two codings', 'HTTP/1.1 200\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['an encoded body', usual.replace('Date: ', 'Content-Encoding: gzip\r\nDate: ')],
    ['a folded line', usual.replace('Date: ', 'Date:\r\n ')],
    ['a bare line feed', usual.replace('2\r\n', '2\n')],
    ['a control character', usual.replace('Mon', 'M\x01n')],
    ['a space before a colon', usual.replace('Date:', 'Date :')],
    ['a list of connection options', usual.replace('keep-alive', 'keep-alive, te')],
    ['a time in another form', usual.replace('timeout=72', 'max=2,timeout=72')],
    ['two times', usual.replace('Date: ', 'Keep-Alive: timeout=72\r\nDate: ')],
  ])('leaves %s to the slow path', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  test('keeps the type and the location of unusual replies, as the slow path does', () => {
    const head = 'Content-Type: text/html\r\nLocation:  /login \r\nContent-Length: 0\r\n\r\n';
    for (const [status, type, kept] of [
      ['302 Found', 'text/html', { contentType: 'text/html', location: '/login' }],
      ['405', 'application/json', { contentType: 'application/json', location: '/login' }],
      ['200', 'text/html', { contentType: 'text/html', location: undefined }],
      ['201', 'Application/JSON; charset=utf-8', { contentType: undefined, location: undefined }],
    ] as const) {
      const text = `HTTP/1.1 ${status}\r\n${head.replace('text/html', type)}`;
      expect(read(text)).toMatchObject(kept);
      const parser = new ResponseParser({ maxHeadBytes: 1000, maxBodyBytes: 1000 });
      parser.feed(Buffer.from(text));
      expect(parser.head).toMatchObject(kept);
    }
  });

  test('notes cookies and the marks of caches, as the slow path does', () => {
    for (const [line, kept] of [
      ['Set-Cookie: a=1', { setsCookie: true, cacheMark: undefined }],
      ['X-Cache: Hit from edge', { setsCookie: false, cacheMark: 'x-cache: Hit from edge' }],
      ['CF-Cache-Status: HIT', { cacheMark: 'cf-cache-status: HIT' }],
      ['Cache-Status: edge; hit', { cacheMark: 'cache-status: edge; hit' }],
      ['X-Cache-Status: MISS', { cacheMark: undefined }],
      ['Helicone-Cache: HIT', { cacheMark: 'helicone-cache: HIT' }],
      ['X-LiteLLM-Cache-Key: abc', { cacheMark: 'x-litellm-cache-key: abc' }],
      ['Age: 0', { cacheMark: undefined }],
      ['Age: 12', { cacheMark: 'age: 12' }],
      ['X-Request-Id: hit', { cacheMark: undefined }],
    ] as const) {
      const text = usual.replace('Connection: ', `${line}\r\nConnection: `);
      expect(read(text), line).toMatchObject(kept);
      const parser = new ResponseParser({ maxHeadBytes: 1000, maxBodyBytes: 1000 });
      parser.feed(Buffer.from(text));
      expect(parser.head, line).toMatchObject(kept);
    }
  });

  test.each<[string, string, Record<string, string> | undefined]>([
    ['429', 'Retry-After-Ms:  700 ', { 'retry-after-ms': '700' }],
    ['503', 'X-RateLimit-Reset-Tokens: 6m0s', { 'x-ratelimit-reset-tokens': '6m0s' }],
    ['429', 'ratelimit-reset: 1\r\nRateLimit-Reset: 2', { 'ratelimit-reset': '1' }],
    ['429', 'x-ratelimit-remaining-requests: 0', { 'x-ratelimit-remaining-requests': '0' }],
    ['529', 'anthropic-ratelimit-tokens-reset: x', { 'anthropic-ratelimit-tokens-reset': 'x' }],
    ['400', 'x-ms-retry-after-ms: 5', { 'x-ms-retry-after-ms': '5' }],
    ['429', 'x-ratelimit-limit-requests: 5\r\nx-password-reset: 1\r\nretry-after: 1', undefined],
    ['429', 'RateLimit: "default";r=0;t=7', { ratelimit: '"default";r=0;t=7' }],
    ['200', 'x-ratelimit-reset-requests: 1s', undefined],
    ['302', 'retry-after-ms: 5', undefined],
  ])('keeps the fields of waits of a refusal with %s, as the slow path does: %j', (status, lines, waits) => {
    const text = `HTTP/1.1 ${status}\r\n${lines}\r\nDate: later\r\nContent-Length: 0\r\n\r\n`;
    const parser = new ResponseParser({ maxHeadBytes: 1000, maxBodyBytes: 1000 });
    parser.feed(Buffer.from(text));
    expect([read(text)?.waits, parser.head.waits]).toEqual([waits, waits]);
    const date = waits === undefined && !lines.includes('retry-after: 1') ? undefined : 'later';
    expect([read(text)?.date, parser.head.date]).toEqual([date, date]);
  });

  test("keeps the server's date only with a Retry-After, wherever it is", () => {
    const date = 'Mon, 01 Jan 2024 00:00:00 GMT';
    for (const [text, kept] of [
      [usual, undefined],
      [usual.replace('Date: ', 'Retry-After: 1\r\nDate: '), date],
      [usual.replace('Connection: ', 'Retry-After: 1\r\nDATE: later\r\nConnection: '), date],
      [usual.replace('Date: ', 'Retry-After: 1\r\nEtag: '), undefined],
    ] as const)
      expect(read(text)?.date).toBe(kept);
  });

  test('does not keep values of the previous response', () => {
    const fast = new FastResponse({ maxHeadBytes: 1000, maxBodyBytes: 1000 });
    for (const text of [
      usual.replace('keep-alive\r', 'close\r\nRetry-After: 1\r').replace('application/json', 'text/html'),
      'HTTP/1.1 429\r\nRetry-After-Ms: 1\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n',
    ]) {
      expect(fast.read(Buffer.from(text), text.length)).toBe(true);
    }
    expect(fast).toMatchObject({ isPersistent: true, retryAfter: undefined, keepAliveSeconds: undefined });
    expect([fast.contentType, fast.waits]).toEqual([undefined, undefined]);
  });
});
