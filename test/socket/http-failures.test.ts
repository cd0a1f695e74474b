import { describe, expect, test } from 'vitest';
import { instant, ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { eventually, openPeer, openTestSender, response, sendOne, unusedPort } from '../support/http-peer.ts';
import { ManualClock } from '../support/http-manual-clock.ts';
import { snapshotOf } from '../support/synthetic-result.ts';
import { planFor } from '../support/synthetic-run.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { messageOf } from '../support/requests.ts';

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('connect_failed', () => {
  test('is a refused connection, with a remedy', async () => {
    const port = await unusedPort();
    const exchange = await sendOne(openTestSender(port));
    expect(exchange).toMatchObject({ failure: 'connect_failed', status: 0, reused: false, body: '' });
    expect(exchange.connectMs).toBeUndefined();
    expect(exchange.firstByteAt).toBeUndefined();
    expect(exchange.detail).toContain(`connection refused (ECONNREFUSED, 127.0.0.1:${String(port)})`);
    expect(exchange.detail).toContain('check that the service is running');
  });

  test('is a connection that is not there within the connect timeout', async () => {
    const clock = new VirtualClock();
    const peer = await openPeer(() => undefined); // Accepts the connection, and never answers the TLS handshake.
    const baseUrl = new URL(`https://127.0.0.1:${String(peer.port)}`);
    const sending = sendOne(openTestSender(peer.port, { baseUrl, clock, connectTimeoutMs: ms(300) }), '{}', clock);
    await eventually(() => peer.sockets.length === 1);
    await clock.run(299);
    expect(await isPending(sending)).toBe(true);
    await clock.run(300);
    const exchange = await sending;
    expect(exchange).toMatchObject({ failure: 'connect_failed', endedAt: 300 });
    expect(exchange.detail).toContain('within 300 ms');
  });

  test('is not reported for a connection that was there in time', async () => {
    const clock = new VirtualClock();
    const peer = await openPeer(() => undefined);
    const sender = openTestSender(peer.port, { clock, connectTimeoutMs: ms(300), timeoutMs: ms(900) });
    const sending = sendOne(sender, '{}', clock);
    await eventually(() => peer.arrivals.length === 1);
    await clock.run(800);
    peer.sockets[0]?.write(response('{}'));
    expect(await sending).toMatchObject({ status: 200, detail: '' });
  });

  test('is a TLS handshake with a server that speaks no TLS', async () => {
    const peer = await openPeer(() => undefined);
    const sending = sendOne(openTestSender(peer.port, { baseUrl: new URL(`https://127.0.0.1:${String(peer.port)}`) }));
    await eventually(() => peer.sockets.length === 1);
    peer.sockets[0]?.write(response('{}'));
    const exchange = await sending;
    expect(exchange.failure).toBe('connect_failed');
    expect(exchange.detail).toContain('the TLS handshake');
    expect(exchange.detail).toContain('start the base URL with http://');
  });

  test('is a connection that is closed within the TLS handshake', async () => {
    const peer = await openPeer(() => undefined);
    const sending = sendOne(openTestSender(peer.port, { baseUrl: new URL(`https://127.0.0.1:${String(peer.port)}`) }));
    await eventually(() => peer.sockets.length === 1);
    peer.sockets[0]?.end();
    expect((await sending).failure).toBe('connect_failed');
  });
});

describe('connection_lost', () => {
  test.each([
    ['before any byte', '', 0, 'before any byte of the response'],
    ['within the head', 'HTTP/1.1 200 OK\r\nContent-', 0, 'within the head of the response'],
    ['after an interim response', 'HTTP/1.1 103 Early Hints\r\n\r\n', 0, 'after an interim response'],
    ['before the declared length', response('{"a":1}').slice(0, -2), 200, 'after 5 bytes of the body, of 7 declared'],
    ['within a chunk', `${chunked}9\r\nabc`, 200, 'after 3 bytes of the body'],
    ['before the last chunk', `${chunked}3\r\nabc\r\n`, 200, 'after 3 bytes of the body'],
    ['within the trailers', `${chunked}0\r\nX: 1\r\n`, 200, 'after 0 bytes of the body'],
  ])('is a response that ends %s', async (_, text, status, where) => {
    const peer = await openPeer(({ socket }) => void socket.end(text));
    const exchange = await sendOne(openTestSender(peer.port));
    expect(exchange).toMatchObject({ failure: 'connection_lost', status, reused: false, body: '' });
    expect(exchange.detail).toBe(`the server closed the connection ${where}`);
    expect(exchange.firstByteAt !== undefined).toBe(text !== '');
    expect(exchange.connectMs).toBeGreaterThan(0);
  });

  test('is a body up to the end of the stream when the stream ends with a reset', async () => {
    const peer = await openPeer(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n{"open":', () => socket.resetAndDestroy());
    });
    const exchange = await sendOne(openTestSender(peer.port));
    expect(exchange).toMatchObject({ failure: 'connection_lost', status: 200 });
    expect(exchange.detail).toBe('the server reset the connection after 8 bytes of the body');
  });

  test('is a reset while the response is waited for', async () => {
    const peer = await openPeer(() => undefined);
    const sending = sendOne(openTestSender(peer.port));
    await eventually(() => peer.arrivals.length === 1);
    peer.sockets[0]?.resetAndDestroy();
    const exchange = await sending;
    expect(exchange).toMatchObject({ failure: 'connection_lost', status: 0 });
    expect(exchange.detail).toBe('the connection broke before any byte of the response: read ECONNRESET');
  });

  test('is an exchange that meets a kept connection which the server closes, and it is not sent again', async () => {
    const peer = await openPeer(({ socket, number }) => {
      if (number === 1) socket.write(response('{}'));
      else socket.destroy();
    });
    const sender = openTestSender(peer.port);
    await sendOne(sender);
    const exchange = await sendOne(sender);
    expect(exchange).toMatchObject({ failure: 'connection_lost', reused: true, status: 0 });
    expect(exchange.firstByteAt).toBeUndefined();
    expect(exchange.detail).toContain('on a kept connection');
    await sender.close();
    expect(peer.arrivals).toHaveLength(2);
    expect(sender.connections.opened).toBe(1);
  });
});

test('a loss on a kept connection is stale only if no byte of the response had arrived', async () => {
  const peer = await openPeer(({ socket, number }) => {
    if (number === 1) socket.write(response('{}'));
    else socket.end('HTTP/1.1 103 Early Hints\r\n\r\n');
  });
  const sender = openTestSender(peer.port);
  await sendOne(sender);
  const exchange = await sendOne(sender);
  expect(exchange).toMatchObject({ failure: 'connection_lost', reused: true, status: 0 });
  const session = { number: 1, policy: 0, due: instant(0), startedAt: instant(0) };
  const { totals } = snapshotOf(planFor(), 1000, (observer) =>
    observer.attempt({
      session,
      operation: 'message',
      turn: 1,
      attempt: 1,
      countedFrom: instant(0),
      outcome: 'connection_lost',
      exchange,
      detail: '',
      message: '',
    }),
  );
  expect(totals[0]?.counters.exchanges).toMatchObject({ attempts: 1 });
  expect(totals[0]?.counters.exchanges).not.toHaveProperty('stale');
  expect(totals[0]?.series.firstByte).toBeUndefined();
});

describe('timed_out', () => {
  test.each([
    ['nothing comes', '', 0],
    ['the head does not end', 'HTTP/1.1 200 OK\r\n', 0],
    ['the body does not end', response('{"a":1}').slice(0, -1), 200],
    ['the stream is not closed', 'HTTP/1.0 200 OK\r\n\r\n{"a":1}', 200],
  ])('is an exchange in which %s, at its time and not before', async (_, text, status) => {
    const clock = new VirtualClock();
    clock.stall(1000);
    const peer = await openPeer(({ socket }) => void socket.write(text));
    const sender = openTestSender(peer.port, { clock, timeoutMs: ms(500) });
    const sending = sender.send(messageOf('{}'), clock.now());
    await eventually(() => peer.arrivals.length === 1 && sender.traffic.bytesReceived === text.length);
    await clock.run(1499.9);
    expect(await isPending(sending)).toBe(true);
    await clock.run(1500);
    expect(await sending).toMatchObject({ failure: 'timed_out', status, endedAt: 1500, body: '' });
    await eventually(() => sender.connections.open === 0);
  });

  test("counts from the caller's send, connecting included", async () => {
    const clock = new VirtualClock();
    const sentAt = clock.now();
    clock.stall(400);
    const peer = await openPeer(() => undefined); // Accepts the connection, and never answers the TLS handshake.
    const baseUrl = new URL(`https://127.0.0.1:${String(peer.port)}`);
    const sending = openTestSender(peer.port, { baseUrl, clock, timeoutMs: ms(500) }).send(messageOf('{}'), sentAt);
    await eventually(() => peer.sockets.length === 1);
    await clock.run(500);
    const exchange = await sending;
    expect(exchange).toMatchObject({ failure: 'timed_out', endedAt: 500 });
    expect(exchange.detail).toContain('while connecting');
  });

  test('leaves the next exchange on a kept connection its own time', async () => {
    const clock = new VirtualClock();
    const peer = await openPeer(({ socket, number }) => {
      if (number === 1) socket.write(response('{}'));
    });
    const sender = openTestSender(peer.port, { clock, timeoutMs: ms(500) });
    await sendOne(sender, '{}', clock);
    await clock.run(400);
    const sending = sendOne(sender, '{}', clock);
    await eventually(() => peer.arrivals.length === 2);
    await clock.run(899);
    peer.sockets[0]?.write(response('{"late":true}'));
    expect(await sending).toMatchObject({ body: '{"late":true}', reused: true, detail: '' });
  });

  test('is not an exchange whose response lay there unread while this process was busy', async () => {
    const clock = new ManualClock();
    const peer = await openPeer(() => undefined);
    const sending = sendOne(openTestSender(peer.port, { clock, timeoutMs: ms(500) }), '{}', clock);
    await eventually(() => peer.arrivals.length === 1);
    peer.sockets[0]?.write(response('{}')); // Local sockets have it at once; nothing has read it yet.
    clock.wakeAllAt(800);
    expect(await sending).toMatchObject({ status: 200, endedAt: 800, detail: '' });
  });

  test('is not reported early by the real clock', async () => {
    const peer = await openPeer(() => undefined);
    const sender = openTestSender(peer.port, { timeoutMs: ms(40) });
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => sendOne(sender)));
    for (const { failure, sentAt, endedAt } of exchanges) {
      expect(failure).toBe('timed_out');
      expect(endedAt - sentAt).toBeGreaterThanOrEqual(40);
    }
  });
});

describe('malformed', () => {
  const limits = { maxHeadBytes: 200, maxBodyBytes: 10 };

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6', 0, 'does not start with HTTP/'],
    ['HTTP/2, not requested', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0d', 0, 'the server supports only HTTP/2'],
    ['HTTP/2 with a line feed in it', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\n', 0, 'the server supports only HTTP/2'],
    ['an alert of TLS', '\x15\x03\x01\0\x02\x02F', 0, 'the server uses TLS'],
    ['a broken status line', 'HTTP/1.1 OK\r\n', 0, 'not an HTTP/1 status line'],
    ['a broken header', 'HTTP/1.1 200 OK\r\nContent Length: 2\r\n', 0, 'a header line is broken'],
    ['a line that ends with LF alone', 'HTTP/1.1 200 OK\n', 0, 'LF only'],
    ['a head over the limit', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200)}`, 0, 'over the limit of 200 bytes'],
    [
      'a body that is declared over the limit',
      'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n',
      200,
      'limit of 10 bytes',
    ],
    ['chunks over the limit', `${chunked}6\r\nabcdef\r\n5\r\n`, 200, 'over the limit of 10 bytes'],
    ['an open body over the limit', 'HTTP/1.1 200 OK\r\n\r\n01234567890', 200, 'over the limit of 10 bytes'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 0, '101'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n',
      0,
      'Content-Length was sent twice',
    ],
    ['an encoded body', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n', 200, 'gzip'],
    ['an unknown transfer coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: br, chunked\r\n\r\n', 200, 'br'],
    ['a chunk without a size', `${chunked}zz\r\n`, 200, 'a chunk has no size'],
    ['a chunk longer than its size', `${chunked}1\r\nabc`, 200, 'longer than its declared size'],
  ])('is %s, reported at once even if the server keeps the connection open', async (_, text, status, words) => {
    const peer = await openPeer(({ socket }) => void socket.write(Buffer.from(text, 'latin1')));
    const sender = openTestSender(peer.port, limits);
    const exchange = await sendOne(sender);
    expect(exchange).toMatchObject({ failure: 'malformed', status, body: '' });
    expect(exchange.detail).toContain(words);
    expect(exchange.firstByteAt).toBeDefined();
    await eventually(() => sender.connections.open === 0);
  });

  test('is reported without control characters and without the API key', async () => {
    const text = 'HTTP/1.1 \x1b[31m Bearer sk-test-key \x07\x9b\r\n';
    const peer = await openPeer(({ socket }) => void socket.write(Buffer.from(text, 'latin1')));
    const { detail } = await sendOne(openTestSender(peer.port));
    expect(detail).toContain('\\x1b[31m Bearer [API key] \\x07\\x9b');
  });
});

describe('aborted', () => {
  test('are the exchanges in progress when the run is cut, and all later ones', async () => {
    const peer = await openPeer(({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{'));
    const sender = openTestSender(peer.port);
    const answered = sendOne(sender);
    await eventually(() => sender.traffic.bytesReceived > 0);
    const connecting = sendOne(sender);
    sender.cut();
    expect(await answered).toMatchObject({ failure: 'aborted', status: 200, body: '' });
    expect((await answered).detail).toContain('after 1 bytes of the body, of 7 declared');
    expect(await connecting).toMatchObject({ failure: 'aborted', status: 0 });
    expect((await connecting).detail).toContain('while connecting');
    const sentAt = systemClock.now();
    const late = await sender.send(messageOf('{}'), sentAt);
    expect(late).toMatchObject({ failure: 'aborted', sentAt, reused: false });
    expect(late.endedAt).toBeGreaterThanOrEqual(sentAt);
    expect(sender.connections.opened).toBe(2);
    await eventually(() => sender.connections.open === 0);
    expect(peer.arrivals).toHaveLength(1);
  });
});

const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol('pending');
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
};
