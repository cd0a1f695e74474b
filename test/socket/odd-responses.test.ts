import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/session/send.ts';
import { openPeer, openTestSender, response, sendOne, type Arrival } from '../support/http-peer.ts';

const body = '{"text":"Grüß"}';
const length = String(Buffer.byteLength(body));
/** Writes a head of these lines, and a body. */
const headed = (lines: readonly string[], content = body): string =>
  ['HTTP/1.1 200 OK', 'Content-Type: application/json', ...lines, '', content].join('\r\n');
const chunks = (first: string, last = '0\r\n\r\n'): string =>
  headed(['Transfer-Encoding: chunked'], `${first}\r\n${body}\r\n${last}`);
const size = Buffer.byteLength(body).toString(16);

type Answer = string | Buffer | ((arrival: Arrival) => void);

/** Sends two requests, one after the other. Each is answered with these bytes, in one write or in many. */
async function exchangeTwo(answer: Answer, step = Infinity): Promise<{ exchanges: Exchange[]; sockets: number }> {
  const peer = await openPeer(async (arrival) => {
    if (typeof answer === 'function') return answer(arrival);
    const bytes = Buffer.from(answer);
    for (let at = 0; at < bytes.length; at += step) {
      arrival.socket.write(bytes.subarray(at, at + step));
      if (step < bytes.length) await sleep(0);
    }
  });
  const sender = openTestSender(peer.port);
  const exchanges = [await sendOne(sender), await sendOne(sender)];
  return { exchanges, sockets: peer.sockets.length };
}

const seen = ({ failure, status, body: text }: Exchange): unknown => failure ?? [status, text];

describe('an odd response is read, and its connection is kept', () => {
  test.each<[string, Answer, unknown?]>([
    ['a byte order mark before the JSON', response(`\u{feff}${body}`)],
    ['a folded header line', headed(['X-Note: a', '\tb', ` c`, `Content-Length: ${length}`])],
    ['a folded length', headed(['Content-Length:', ` ${length}`])],
    ['two equal lengths', headed([`Content-Length: ${length}`, `content-length: ${length}`])],
    ['a list of equal lengths', headed([`Content-Length: ${length}, ${length}`])],
    ['100 before the response', `HTTP/1.1 100 Continue\r\n\r\n${response(body)}`],
    ['103 before the response', `HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n${response(body)}`],
    ['trailers', chunks(size, '0\r\nX-Checksum: 1\r\nx-empty:\r\n\r\n')],
    ['a folded trailer', chunks(size, '0\r\nX-Checksum: 1\r\n 2\r\n\r\n')],
    ['a chunk extension', chunks(`${size};name=value;other="a;b"`)],
    ['blanks after the size of a chunk', chunks(`${size} \t`, '0 \r\n\r\n')],
    ['blanks around a chunk extension', chunks(`${size} ;name=value `)],
    ['white space before a colon', headed([`X-Note : a`, `Content-Length\t : ${length}`])],
    ['white space before the colon of a trailer', chunks(size, '0\r\nX-Checksum : 1\r\n\r\n')],
    ['a size in capitals, with zeros', chunks(`00${size.toUpperCase()}`)],
    ['names in odd case', headed([`cOnTeNt-LeNgTh: ${length}`, 'CONNECTION: Keep-Alive'])],
    ['an empty header value', headed(['X-Empty:', `Content-Length: ${length}`])],
    ['no reason', response(body).replace(' OK', '')],
    ['HTTP/1.0 with keep-alive', response(body, { lines: ['Connection: keep-alive'] }).replace('1.1', '1.0')],
    ['204 without a length', 'HTTP/1.1 204 No Content\r\n\r\n', [204, '']],
    ['304 with a length but no body', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n', [304, '']],
  ])('%s', async (_, answer, expected = [200, body]) => {
    for (const step of [Infinity, 1]) {
      const { exchanges, sockets } = await exchangeTwo(answer, step);
      expect(exchanges.map(seen)).toEqual([expected, expected]);
      expect(sockets).toBe(1);
    }
  });
});

describe('an odd response is read, and the next request has a new connection', () => {
  test.each<[string, Answer, unknown?]>([
    ['Connection: Close', response(body, { lines: ['Connection: Close'] })],
    ['close in a list', response(body, { lines: ['Connection: x-a, CLOSE'] })],
    ['HTTP/1.0', response(body).replace('1.1', '1.0')],
    ['the end of the connection as the end of the body', ({ socket }) => void socket.end(headed([]))],
    ['the end of the connection in the same packet', ({ socket }) => void socket.end(response(body))],
    ['a body after 204', `HTTP/1.1 204 No Content\r\n\r\n${body}`, [204, '']],
    ['a body after 304', `HTTP/1.1 304 Not Modified\r\nContent-Length: ${length}\r\n\r\n${body}`, [304, '']],
    ['bytes after the body', `${response(body)}HTTP`],
  ])('%s', async (_, answer, expected = [200, body]) => {
    const { exchanges, sockets } = await exchangeTwo(answer);
    expect(exchanges.map(seen)).toEqual([expected, expected]);
    expect(sockets).toBe(2);
  });
});

describe('a response that can be read in two ways is malformed', () => {
  test.each<[string, string]>([
    ['different lengths', headed([`Content-Length: ${length}`, 'Content-Length: 2'])],
    ['a list of different lengths', headed([`Content-Length: ${length}, 2`])],
    [
      'a length and chunks',
      headed([`Content-Length: ${length}`, 'Transfer-Encoding: chunked'], `2\r\n{}\r\n0\r\n\r\n`),
    ],
    [
      'chunks and a length',
      headed(['Transfer-Encoding: chunked', `Content-Length: ${length}`], `2\r\n{}\r\n0\r\n\r\n`),
    ],
    ['a length that is continued', headed([`Content-Length: ${length}`, ' 2'])],
    ['a fold before any header', `HTTP/1.1 200 OK\r\n X-A: 1\r\nContent-Length: 0\r\n\r\n`],
    [
      'a length and chunks, with white space before a colon',
      headed([`Content-Length: ${length}`, 'Transfer-Encoding : chunked'], `2\r\n{}\r\n0\r\n\r\n`),
    ],
    ['a length in the trailers, with white space before its colon', chunks(size, '0\r\nContent-Length : 1\r\n\r\n')],
    ['white space in a name', headed([`X Note : a`, `Content-Length: ${length}`])],
    ['gzip that was not accepted', headed(['Content-Encoding: gzip', `Content-Length: ${length}`])],
    ['zstd', headed(['Content-Encoding: zstd', `Content-Length: ${length}`])],
  ])('%s', async (_, answer) => {
    const { exchanges } = await exchangeTwo(answer);
    expect(exchanges.map(seen)).toEqual(['malformed', 'malformed']);
  });
});

test('a reply before the end of the request is read, and the rest does not reach the next request', async () => {
  const peer = await openPeer(() => undefined);
  const sender = openTestSender(peer.port);
  const sent = sendOne(sender, JSON.stringify('x'.repeat(8_000_000)));
  await expect.poll(() => peer.sockets.length).toBe(1);
  peer.sockets[0]?.pause();
  peer.sockets[0]?.write(response(body));
  expect(seen(await sent)).toEqual([200, body]);
  const next = sendOne(sender);
  await expect.poll(() => peer.arrivals.length).toBeGreaterThan(0);
  peer.arrivals.at(-1)?.socket.write(response('{}'));
  expect(seen(await next)).toEqual([200, '{}']);
  expect(peer.sockets).toHaveLength(2);
});

test('a request right after the first response of a connection is aborted if the run is cut then', async () => {
  const peer = await openPeer(({ socket }) => void socket.write(response(body)));
  const sender = openTestSender(peer.port);
  await sendOne(sender);
  const next = sendOne(sender);
  sender.cut();
  expect(seen(await next)).toBe('aborted');
  expect(peer.arrivals).toHaveLength(1);
});

test.each<[string, Buffer]>([
  ['gzip', gzipSync(body)],
  ['br', brotliCompressSync(body)],
  ['deflate', deflateSync(body)],
])('a body in %s is decoded, however it is split, or refused as not accepted', async (coding, coded) => {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: ${coding}\r\nContent-Length: ${String(coded.length)}\r\n\r\n`;
  for (let at = 1; at < coded.length; at++) {
    const peer = await openPeer(async ({ socket }) => {
      socket.write(Buffer.concat([Buffer.from(head), coded.subarray(0, at)]));
      await sleep(1);
      socket.write(coded.subarray(at));
    });
    const exchange = await sendOne(openTestSender(peer.port, { compression: true }));
    expect(seen(exchange)).toEqual(coding === 'deflate' ? 'malformed' : [200, body]);
  }
});

test('text is UTF-8, whatever charset is declared', async () => {
  const latin1 = (text: string): Buffer =>
    Buffer.from(
      response(text, { lines: ['Content-Type: text/plain; charset=iso-8859-1'] }).replace(
        /Length: \d+/,
        `Length: ${String(text.length)}`,
      ),
      'latin1',
    );
  const [plain] = (await exchangeTwo(latin1('{"text":"Hi"}'))).exchanges;
  expect([plain?.body, plain?.isUtf8]).toEqual(['{"text":"Hi"}', true]);
  const [accented] = (await exchangeTwo(latin1('{"text":"é"}'))).exchanges;
  expect([accented?.isUtf8, accented?.contentType]).toEqual([false, 'text/plain; charset=iso-8859-1']);
});
