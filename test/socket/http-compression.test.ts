import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/edge/clock.ts';
import type { SenderOptions } from '../../src/edge/http/sender/sender-options.ts';
import type { Exchange } from '../../src/session/send.ts';
import { openPeer, openTestSender } from '../support/http-peer.ts';
import { pieceRequest } from '../support/piece-stream.ts';
import { messageOf } from '../support/requests.ts';

interface Answered {
  exchange: Exchange;
  accepted: string | undefined;
  received: number;
}

type Asking = Partial<SenderOptions> & { pieces?: boolean };

/** Sends a request that is answered with this coded body, and returns the exchange. */
type Ask = (coding: string, body: Buffer, options: Asking) => Promise<Answered>;

const overHttp1: Ask = async (coding, body, { pieces = false, ...options }) => {
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${String(body.length)}\r\n\r\n`;
  const peer = await openPeer(({ socket }) => void socket.write(Buffer.concat([Buffer.from(head), body])));
  const sender = openTestSender(peer.port, options);
  const exchange = await sender.send(pieces ? pieceRequest() : messageOf('{}'), systemClock.now());
  const accepted = /accept-encoding: (.*)\r\n/i.exec(peer.arrivals[0]?.text ?? '')?.[1];
  return { exchange, accepted, received: sender.traffic.bytesReceived };
};

const overHttp2: Ask = async (coding, body, { pieces = false, ...options }) => {
  let accepted: unknown;
  const server = createServer().on('stream', (stream, headers) => {
    accepted = headers['accept-encoding'];
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-encoding': coding });
    stream.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sender = openTestSender((server.address() as AddressInfo).port, { http2: true, ...options });
  onTestFinished(async () => {
    await sender.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const exchange = await sender.send(pieces ? pieceRequest() : messageOf('{}'), systemClock.now());
  return { exchange, accepted: String(accepted), received: sender.traffic.bytesReceived };
};

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('a compressed reply over %s', (_, ask) => {
  const text = JSON.stringify({ text: 'Grüße '.repeat(5000) });
  const compression = true;

  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['BR', brotliCompressSync(text)],
  ])('is decoded if it is accepted: %s', async (coding, body) => {
    const { exchange, accepted, received } = await ask(coding, body, { compression });
    expect(exchange).toMatchObject({ status: 200, body: text, isUtf8: true, detail: '' });
    expect(accepted).toBe('gzip, br');
    expect(received).toBeGreaterThan(body.length);
    expect(received).toBeLessThan(body.length + 500);
  });

  test('is checked for invalid UTF-8 after decoding', async () => {
    const { exchange } = await ask('gzip', gzipSync(Buffer.from([0x22, 0xff, 0x22])), { compression });
    expect(exchange).toMatchObject({ body: '"\u{fffd}"', isUtf8: false });
  });

  test('of no bytes is empty', async () => {
    expect((await ask('gzip', Buffer.alloc(0), { compression })).exchange).toMatchObject({ status: 200, body: '' });
  });

  test.each([
    ['another coding than it says', 'br', gzipSync(text), 'cannot be decoded (br)'],
    ['cut off', 'gzip', gzipSync(text).subarray(0, -12), 'cannot be decoded (gzip): unexpected end'],
    ['cut off', 'br', brotliCompressSync(text).subarray(0, -4), 'cannot be decoded (br): unexpected end'],
    ['in a coding that was not accepted', 'deflate', deflateSync(text), 'although gzip, br was accepted'],
    [
      'more than its stream',
      'br',
      Buffer.concat([brotliCompressSync(text), Buffer.from('more')]),
      'bytes follow its end',
    ],
    ['in two codings', 'gzip, br', brotliCompressSync(gzipSync(text)), 'Content-Encoding "gzip, br"'],
  ])('is malformed when it is %s', async (__, coding, body, words) => {
    const { exchange } = await ask(coding, body, { compression });
    expect(exchange).toMatchObject({ failure: 'malformed', status: 200, body: '' });
    expect(exchange.detail).toContain(words);
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(50_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(50_000_000))],
  ])('is malformed when it grows over the limit: %s', async (coding, bomb) => {
    const { exchange } = await ask(coding, bomb, { compression, maxBodyBytes: 100_000 });
    expect(exchange).toMatchObject({ failure: 'malformed', status: 200, body: '' });
    expect(exchange.detail).toContain('the decoded body of the response is over the limit of 100000 bytes');
  });

  test('is malformed if it is not accepted, and for a streamed reply, whose request accepts none', async () => {
    for (const options of [{}, { compression, pieces: true }]) {
      const { exchange, accepted } = await ask('gzip', gzipSync(text), options);
      expect(exchange.failure).toBe('malformed');
      expect(exchange.detail).toContain('although only identity was accepted: Content-Encoding "gzip"');
      expect(accepted).toBe('identity');
    }
  });
});
