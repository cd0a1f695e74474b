import { expect, test } from 'vitest';
import { readProxyServer } from '../../../base/proxy-server.ts';
import { HttpHandshake } from './http-handshake.ts';

const taken = (...pieces: readonly string[]): unknown => {
  const handshake = new HttpHandshake(readProxyServer('http://proxy:3128'), 'target:443');
  return pieces.map((piece) => handshake.take(Buffer.from(piece))).at(-1);
};

test('an interim answer of a proxy is not final', () => {
  expect(taken('HTTP/1.1 100 Continue\r\n\r\n')).toBeUndefined();
  expect(taken('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')).toBe('open');
  expect(taken('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n', 'HTTP/1.1 200 OK\r\n', '\r\n')).toBe('open');
});

test('a switch of protocols is not a tunnel', () => {
  expect(taken('HTTP/1.1 101 Switching Protocols\r\n\r\n')).toMatchObject({
    failure: { what: expect.stringContaining('101') as string },
  });
});
