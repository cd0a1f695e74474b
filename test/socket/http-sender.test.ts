import { describe, expect, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { eventually, openPeer, openTestSender, response, sendOne } from '../support/http-peer.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { creationOf, messageOf } from '../support/requests.ts';

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a request', () => {
  test('is a plain HTTP/1.1 request below the path of the base URL', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const sender = openTestSender(peer.port, { baseUrl: new URL(`http://127.0.0.1:${String(peer.port)}/staging/eu/`) });
    await sender.send(creationOf('{"agentId":"a"}'), systemClock.now());
    await sender.send(messageOf('{"message":"Grüße ✓"}'), systemClock.now());
    const requestOf = (path: string, body: string): string =>
      [
        `POST /staging/eu${path} HTTP/1.1`,
        `Host: 127.0.0.1:${String(peer.port)}`,
        'Authorization: Bearer sk-test-key',
        'Content-Type: application/json',
        'Accept: application/json',
        'Accept-Encoding: identity',
        'Connection: keep-alive',
        'User-Agent: chat-load/1.2.3',
        `Content-Length: ${String(Buffer.byteLength(body))}`,
        '',
        body,
      ].join('\r\n');
    const texts = peer.arrivals.map(({ text }) => Buffer.from(text, 'latin1').toString());
    const expected = [
      requestOf('/api/sessions', '{"agentId":"a"}'),
      requestOf('/api/messages', '{"message":"Grüße ✓"}'),
    ];
    expect(texts).toEqual(expected);
    expect(sender.traffic.bytesSent).toBe(Buffer.byteLength(expected.join('')));
    expect(sender.traffic.bytesReceived).toBe(2 * response('{}').length);
  });

  test('is authorized by given fields in place of the key, and by others from the moment they are renewed', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const sender = openTestSender(peer.port, { apiKey: '', authorization: { 'X-Token': 'first one' } });
    const body = messageOf('{}');
    await sender.send(body, systemClock.now());
    sender.authorize({ Authorization: 'Bearer second' });
    await sender.send(body, systemClock.now());
    const [before, after] = peer.arrivals.map(({ text }) => text);
    expect(before).toContain('\r\nX-Token: first one\r\n');
    expect(before).not.toContain('Authorization');
    expect(after).toContain('\r\nAuthorization: Bearer second\r\n');
    expect(after).not.toContain('X-Token');
  });

  test('arrives whole when it is larger than the buffers of the socket', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const body = JSON.stringify({ message: 'ä'.repeat(3_000_000) });
    expect((await sendOne(openTestSender(peer.port), body)).failure).toBeUndefined();
    const arrived = Buffer.from(peer.arrivals[0]?.text ?? '', 'latin1').toString();
    expect(arrived.endsWith(`\r\n\r\n${body}`)).toBe(true);
  });
});

describe('a response', () => {
  test('is reported with status, body, Retry-After and the instants in their order', async () => {
    const lines = ['Retry-After: 7', 'retry-after: 9', 'X-RateLimit-Reset: 4', 'date: Mon, 01 Jan 2024 00:00:00 GMT'];
    const peer = await openPeer(
      ({ socket }) => void socket.write(response('{"a":"é"}', { status: '429 Slow', lines })),
    );
    const sender = openTestSender(peer.port);
    const sentAt = systemClock.now();
    const exchange = await sender.send(messageOf('{}'), sentAt);
    expect(exchange).toMatchObject({
      sentAt,
      status: 429,
      body: '{"a":"é"}',
      retryAfter: '7',
      waits: { 'x-ratelimit-reset': '4' },
      date: 'Mon, 01 Jan 2024 00:00:00 GMT',
      reused: false,
      detail: '',
    });
    expect(exchange.failure).toBeUndefined();
    expect(exchange.connectMs).toBeGreaterThan(0);
    expect(exchange.firstByteAt).toBeGreaterThanOrEqual(sentAt + (exchange.connectMs ?? Infinity));
    expect(exchange.endedAt).toBeGreaterThanOrEqual(exchange.firstByteAt ?? Infinity);
    const again = await sendOne(sender);
    expect(again.reused).toBe(true);
    expect(again.connectMs).toBeUndefined();
    expect(again.firstByteAt).toBeDefined();
  });

  test.each([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"a":"caf\xc3\xa9"}'.replace('11', '13')],
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nRetry-After: 3\r\n\r\n9;x="y"\r\n{"a":"caf\r\n4\r\n\xc3\xa9"}\r\n0\r\nT: 1\r\n\r\n',
    ],
    ['up to the end of the stream', 'HTTP/1.0 200 OK\r\n\r\n{"a":"caf\xc3\xa9"}'],
    [
      'behind interim responses',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${response('{"a":"caf\xe9"}')}`,
    ],
  ])('is the same when it drips in byte by byte, %s', async (_, text) => {
    const bytes = Buffer.from(text, text.startsWith('HTTP/1.1 100') ? 'utf8' : 'latin1');
    const peer = await openPeer(async ({ socket }) => {
      for (const byte of bytes) {
        socket.write(Buffer.from([byte]));
        await turnOfLoop();
      }
      if (text.startsWith('HTTP/1.0')) socket.end();
    });
    const exchange = await sendOne(openTestSender(peer.port));
    expect(exchange).toMatchObject({ status: 200, body: '{"a":"café"}', detail: '' });
    expect(exchange.retryAfter).toBe(text.includes('Retry-After') ? '3' : undefined);
  });

  test('may be larger than the read buffer', async () => {
    const body = JSON.stringify({ text: 'ß'.repeat(500_000) });
    const peer = await openPeer(({ socket }) => void socket.write(response(body)));
    const sender = openTestSender(peer.port);
    expect((await sendOne(sender)).body).toBe(body);
    expect((await sendOne(sender)).body).toBe(body);
    expect(sender.connections.opened).toBe(1);
  });

  test('has its first byte when the final response begins, not an interim one', async () => {
    let finalAt = 0;
    const peer = await openPeer(async ({ socket }) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
      for (let turn = 0; turn < 20; turn++) await turnOfLoop();
      finalAt = systemClock.now();
      socket.write(response('{}'));
    });
    const exchange = await sendOne(openTestSender(peer.port));
    expect(exchange.firstByteAt).toBeGreaterThanOrEqual(finalAt);
  });

  test('has no body with 204 and 304, and the connection is kept', async () => {
    const heads = ['204 No Content', '304 Not Modified\r\nContent-Length: 10'];
    const peer = await openPeer(
      ({ socket, number }) => void socket.write(`HTTP/1.1 ${heads[number - 1] ?? ''}\r\n\r\n`),
    );
    const sender = openTestSender(peer.port);
    expect(await sendOne(sender)).toMatchObject({ status: 204, body: '', detail: '' });
    expect(await sendOne(sender)).toMatchObject({ status: 304, body: '', detail: '', reused: true });
  });

  test('is only a status if the server redirects', async () => {
    const lines = ['Location: http://127.0.0.1:1/elsewhere'];
    const peer = await openPeer(({ socket }) => void socket.write(response('', { status: '302 Found', lines })));
    expect(await sendOne(openTestSender(peer.port))).toMatchObject({ status: 302, body: '', detail: '' });
    expect(peer.arrivals).toHaveLength(1);
  });

  test('counts when it is complete before the request was written, and the connection goes', async () => {
    const peer = await openPeer(() => undefined);
    const sender = openTestSender(peer.port);
    const sending = sendOne(sender, 'x'.repeat(30_000_000));
    await eventually(() => peer.sockets.length === 1);
    peer.sockets[0]?.pause();
    peer.sockets[0]?.write(response('{"error":"too large"}', { status: '413 Too Large' }));
    expect(await sending).toMatchObject({ status: 413, body: '{"error":"too large"}', detail: '' });
    await eventually(() => sender.connections.open === 0);
  });
});

describe('a connection', () => {
  test('is kept for one exchange after another, and the one used last is taken first', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const sender = openTestSender(peer.port);
    await Promise.all([sendOne(sender), sendOne(sender), sendOne(sender)]);
    expect(sender.connections).toEqual({ open: 3, opened: 3 });
    const held = peer.arrivals.map(({ socket }) => socket);
    for (let count = 0; count < 5; count++) expect((await sendOne(sender)).reused).toBe(true);
    expect(sender.connections).toEqual({ open: 3, opened: 3 });
    const used = peer.arrivals.slice(3).map(({ socket }) => held.indexOf(socket));
    expect(new Set(used).size).toBe(1);
  });

  test.each([
    ['the response says Connection: close', response('{}', { lines: ['Connection: close'] })],
    ['the response is HTTP/1.0', response('{}').replace('1.1', '1.0')],
    ['bytes follow the response', `${response('{}')}x`],
    ['another response follows', response('{}') + response('{}')],
    ['the server announces that it will not wait', response('{}', { lines: ['Keep-Alive: timeout=0'] })],
  ])('is not used again when %s', async (_, text) => {
    const peer = await openPeer(({ socket }) => void socket.write(text));
    const sender = openTestSender(peer.port);
    expect(await sendOne(sender)).toMatchObject({ status: 200, body: '{}', detail: '' });
    expect(await sendOne(sender)).toMatchObject({ status: 200, reused: false });
    expect(sender.connections.opened).toBe(2);
    await eventually(() => sender.connections.open === 0);
  });

  test('finds its host by name', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const sender = openTestSender(peer.port, { baseUrl: new URL(`http://localhost:${String(peer.port)}`) });
    const exchanges = await Promise.all([sendOne(sender), sendOne(sender), sendOne(sender)]);
    expect(exchanges.map(({ status, detail }) => [status, detail])).toEqual([
      [200, ''],
      [200, ''],
      [200, ''],
    ]);
  });

  test('is reused with HTTP/1.0 if the server allows it', async () => {
    const text = response('{}', { lines: ['Connection: keep-alive'] }).replace('1.1', '1.0');
    const peer = await openPeer(({ socket }) => void socket.write(text));
    const sender = openTestSender(peer.port);
    await sendOne(sender);
    expect(await sendOne(sender)).toMatchObject({ status: 200, reused: true });
  });

  test('that the server closed while it was idle is never picked', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const sender = openTestSender(peer.port);
    await sendOne(sender);
    peer.sockets[0]?.end();
    await eventually(() => sender.connections.open === 0);
    expect(await sendOne(sender)).toMatchObject({ status: 200, reused: false });
  });

  test('that receives bytes while it is idle is dropped', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const sender = openTestSender(peer.port);
    await sendOne(sender);
    peer.sockets[0]?.write(response('{"of":"nobody"}'));
    await eventually(() => sender.connections.open === 0);
    expect(await sendOne(sender)).toMatchObject({ body: '{}', reused: false });
  });

  test.each([
    ['its time', [], 4000],
    ['less than the server announced', ['Keep-Alive: timeout=3, max=100'], 2000],
    ['half of the one second that the server announced', ['Keep-Alive: timeout=1'], 500],
  ])('stands idle for %s', async (_, lines, idleMs) => {
    const clock = new VirtualClock();
    const peer = await openPeer(({ socket }) => void socket.write(response('{}', { lines })));
    const sender = openTestSender(peer.port, { clock, idleConnectionMs: ms(4000) });
    await sendOne(sender, '{}', clock);
    clock.stall(idleMs - 0.1);
    expect((await sendOne(sender, '{}', clock)).reused).toBe(true);
    clock.stall(idleMs);
    expect((await sendOne(sender, '{}', clock)).reused).toBe(false);
    await clock.run(2 * idleMs + 1);
    await eventually(() => sender.connections.open === 1);
    await clock.run(4 * idleMs);
    await eventually(() => sender.connections.open === 0);
  });
});

describe('closing', () => {
  test('leaves no timer, and ends exchanges in flight', async () => {
    const clock = new VirtualClock();
    const peer = await openPeer(({ socket, number }) => {
      if (number < 3) socket.write(response('{}'));
    });
    const sender = openTestSender(peer.port, { clock });
    await Promise.all([sendOne(sender, '{}', clock), sendOne(sender, '{}', clock)]);
    const hanging = sendOne(sender, '{}', clock);
    await eventually(() => peer.arrivals.length === 3);
    expect(clock.pending).toBeGreaterThan(0);
    await sender.close();
    expect((await hanging).failure).toBe('aborted');
    expect(clock.pending).toBe(0);
  });

  test('leaves no handle of the process, whichever of its calls is awaited', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const before = resourcesOf(peer.sockets.length);
    const sender = openTestSender(peer.port);
    await Promise.all([sendOne(sender), sendOne(sender)]);
    expect(resourcesOf(peer.sockets.length)).not.toEqual(before);
    await Promise.all([sender.close(), sender.close()]);
    await sender.close();
    expect(sender.connections.open).toBe(0);
    await eventually(() => peer.sockets.every((socket) => socket.destroyed));
    // Connections of earlier tests may have closed meanwhile; none may be new.
    const after = resourcesOf(0);
    expect(after.sockets).toBeLessThanOrEqual(before.sockets);
    expect(after.timers).toBeLessThanOrEqual(before.timers);
  });
});

/** Sockets and timers that keep this process alive, less the peer's own sockets. */
const resourcesOf = (peerSockets: number): { sockets: number; timers: number } => {
  const active = process.getActiveResourcesInfo();
  const count = (kind: string): number => active.filter((name) => name === kind).length;
  return { sockets: count('TCPSocketWrap') - peerSockets, timers: count('Timeout') };
};
