import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import type { Exchange } from '../../src/session/send.ts';
import { openPeer, openTestSender, response, sendOne, unusedPort, eventually } from '../support/http-peer.ts';
import { openHttp2Peer, type Http2Arrival } from '../support/http2-peer.ts';
import { localhostIdentity as identity } from '../support/localhost-identity.ts';
import { pieceRequest } from '../support/piece-stream.ts';
import { creationOf, messageOf } from '../support/requests.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const http2 = true;
const ok = [[':status', '200']] as const;
/** No frame begins so. */
const garbage = Buffer.alloc(100, 0xff);
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A server of Node.js for one test. */
async function listen(server: Http2Server): Promise<{ port: number; sessions: () => number }> {
  let sessions = 0;
  const open = new Set<{ destroy(): void }>();
  server.on('session', (session) => {
    sessions++;
    open.add(session);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const session of open) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, sessions: () => sessions };
}

describe('a request over HTTP/2', () => {
  test('has the content of HTTP/1.1 as fields, including the fields of a single request', async () => {
    const seen: Record<string, unknown>[] = [];
    let body = '';
    const server = createServer();
    server.on('stream', (stream, headers) => {
      seen.push(JSON.parse(JSON.stringify(headers)) as Record<string, unknown>);
      stream.on('data', (bytes: Buffer) => (body += bytes.toString()));
      stream.on('end', () => {
        stream.respond({ ':status': 200 });
        stream.end('{}');
      });
    });
    const { port } = await listen(server);
    const sender = openTestSender(port, { http2, baseUrl: new URL(`http://127.0.0.1:${String(port)}/eu/`) });
    await sender.send(creationOf('{"agentId":"a"}'), systemClock.now());
    await sender.send({ ...messageOf('{"message":"Grüße ✓"}'), fields: 'X-Tenant: T 1\r\n' }, systemClock.now());
    const common = {
      ':method': 'POST',
      ':scheme': 'http',
      ':authority': `127.0.0.1:${String(port)}`,
      authorization: 'Bearer sk-test-key',
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'chat-load/1.2.3',
    };
    expect(seen).toEqual([
      { ...common, ':path': '/eu/api/sessions', 'content-length': '15' },
      { ...common, ':path': '/eu/api/messages', 'content-length': '25', 'x-tenant': 'T 1' },
    ]);
    expect(body).toBe('{"agentId":"a"}{"message":"Grüße ✓"}');
  });

  test('is authorized with the new token as soon as it is renewed', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer();
    server.on('stream', (stream, { authorization }) => {
      seen.push(authorization);
      stream.respond({ ':status': 200 }, { endStream: true });
    });
    const sender = openTestSender((await listen(server)).port, { http2 });
    await sendOne(sender);
    sender.authorize({ Authorization: 'Bearer second' });
    await sendOne(sender);
    expect(seen).toEqual(['Bearer sk-test-key', 'Bearer second']);
  });

  test('arrives whole when it is larger than every window', async () => {
    const length = 9_000_000;
    const peer = createServer();
    let arrived = 0;
    peer.on('stream', (stream) => {
      stream.on('data', (bytes: Buffer) => (arrived += bytes.length));
      stream.on('end', () => {
        stream.respond({ ':status': 200 });
        stream.end('x'.repeat(length));
      });
    });
    const sender = openTestSender((await listen(peer)).port, { http2 });
    expect((await sendOne(sender, 'x'.repeat(length))).body).toHaveLength(length);
    expect(arrived).toBe(length);
    expect(sender.traffic.bytesSent).toBeGreaterThan(length);
    expect(sender.traffic.bytesReceived).toBeGreaterThan(length);
    expect(sender.traffic.bytesReceived).toBeLessThan(length * 1.02);
  });
});

describe('a response over HTTP/2', () => {
  test('is reported with status, body, Retry-After and the instants in their order', async () => {
    const fields: [string, string][] = [
      ['retry-after', '7'],
      ['retry-after-ms', '700'],
      ['x-ratelimit-reset-requests', '1s'],
      ['date', 'Mon, 01 Jan 2024 00:00:00 GMT'],
      ['location', '/else'],
    ];
    const peer = await openHttp2Peer(({ connection, stream }) => {
      connection.head(stream, [[':status', '103']]);
      connection.head(stream, [[':status', '429'], ...fields]);
      connection.data(stream, '{"a":"');
      connection.data(stream, 'é"}', true);
    });
    const sender = openTestSender(peer.port, { http2 });
    const sentAt = systemClock.now();
    const exchange = await sender.send(messageOf('{}'), sentAt);
    expect(exchange).toMatchObject({
      sentAt,
      status: 429,
      body: '{"a":"é"}',
      retryAfter: '7',
      waits: { 'retry-after-ms': '700', 'x-ratelimit-reset-requests': '1s' },
      date: 'Mon, 01 Jan 2024 00:00:00 GMT',
      location: '/else',
      reused: false,
      detail: '',
      isHttp2: true,
    });
    expect(exchange.failure).toBeUndefined();
    expect(exchange.connectMs).toBeGreaterThan(0);
    expect(exchange.firstByteAt).toBeGreaterThanOrEqual(sentAt + (exchange.connectMs ?? Infinity));
    expect(exchange.endedAt).toBeGreaterThanOrEqual(exchange.firstByteAt ?? Infinity);
    expect(await sendOne(sender)).toMatchObject({ reused: true, connectMs: undefined });
    expect(sender.transport()).toMatchObject({
      exchanges: { http1: 0, http2: 2 },
      addresses: [{ address: '127.0.0.1', connections: 1, exchanges: 2 }],
      http2: { goAways: 0, refusedStreams: 0 },
    });
  });

  test.each(['http', 'https'])('are %s responses of any length, all on one connection', async (scheme) => {
    const answer = (stream: ServerHttp2Stream): void => {
      stream.resume().on('end', () => {
        stream.respond({ ':status': 200 });
        stream.end(JSON.stringify({ text: 'ß'.repeat(stream.id ?? 0) }));
      });
    };
    const server = scheme === 'http' ? createServer() : createSecureServer(identity);
    server.on('stream', answer);
    const { port, sessions } = await listen(server);
    const sender = openTestSender(port, {
      http2,
      baseUrl: new URL(`${scheme}://localhost:${String(port)}`),
      tls: { ca: identity.cert },
    });
    const exchanges = await Promise.all(many(500, () => sendOne(sender, 'x'.repeat(100))));
    expect(exchanges.filter(({ status, failure }) => status === 200 && failure === undefined)).toHaveLength(500);
    expect(new Set(exchanges.map(({ body }) => body)).size).toBe(500);
    expect(exchanges.filter(({ reused }) => !reused)).toHaveLength(1);
    expect(sessions()).toBe(1);
    expect(sender.connections).toEqual({ open: 1, opened: 1 });
    await sender.close();
    expect(sender.connections.open).toBe(0);
  });

  test('has no body with 204, and is a success without one', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) => connection.head(stream, [[':status', '204']], true));
    const sender = openTestSender(peer.port, { http2 });
    expect(await sendOne(sender)).toMatchObject({ status: 204, body: '', detail: '' });
    expect(await sendOne(sender)).toMatchObject({ status: 204, reused: true });
    expect(peer.connections[0]?.resets).toEqual([]);
  });

  test('counts when it is complete before the request was written', async () => {
    const peer = createServer();
    peer.on('stream', (stream) => {
      stream.respond({ ':status': 413 });
      stream.end('{"error":"too large"}');
    });
    const sender = openTestSender((await listen(peer)).port, { http2 });
    expect(await sendOne(sender, 'x'.repeat(3_000_000))).toMatchObject({ status: 413, body: '{"error":"too large"}' });
    expect(await sendOne(sender)).toMatchObject({ status: 413, reused: true });
  });

  test('are the fields that a route wants', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) =>
      connection.answer(stream, '{}', [
        ['x-next', 'a'],
        ['set-cookie', 'k=v; Path=/'],
        ['set-cookie', 'l=w'],
      ]),
    );
    const { route } = messageOf('');
    const asked = { route: { ...route, wantedHeaders: ['x-next', 'set-cookie'] }, body: '{}' };
    const { headers } = await openTestSender(peer.port, { http2 }).send(asked, systemClock.now());
    expect(headers).toEqual({ 'x-next': 'a', 'set-cookie': 'k=v; l=w' });
  });

  test('is streamed, and events of one read share one instant', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) => {
      connection.head(stream, [...ok, ['content-type', 'text/event-stream']]);
      connection.socket.cork();
      connection.data(stream, 'data: !hm\n\ndata: a\n\n');
      connection.data(stream, 'data: b\n');
      connection.data(stream, '\n');
      connection.data(stream, 'data: END\n\n', true);
      connection.socket.uncork();
    });
    const { content, stream, body } = await openTestSender(peer.port, { http2 }).send(
      pieceRequest(),
      systemClock.now(),
    );
    expect([stream?.text, body]).toEqual(['ab', '']);
    expect(content).toMatchObject({ gapsMs: [], sharedReads: 2, hasReasoning: true });
  });
});

describe('connections over HTTP/2', () => {
  test('carry as many exchanges at once as the server takes, and others are opened for the rest', async () => {
    let atOnce = 0;
    let max = 0;
    const server = createServer({ settings: { maxConcurrentStreams: 10 } });
    server.on('session', (session) => {
      let here = 0;
      session.on('stream', (stream: ServerHttp2Stream) => {
        atOnce++;
        here++;
        max = Math.max(max, here);
        stream.on('close', () => {
          atOnce--;
          here--;
        });
        void eventually(() => atOnce === 35 || isFull).then(() => {
          isFull = true;
          stream.respond({ ':status': 200 });
          stream.end('{}');
        });
      });
    });
    let isFull = false;
    const { port, sessions } = await listen(server);
    const sender = openTestSender(port, { http2 });
    const exchanges = await Promise.all(many(35, () => sendOne(sender)));
    expect(exchanges.map(({ status }) => status)).toEqual(many(35, () => 200));
    expect([max, sessions()]).toEqual([10, 4]);
    expect(sender.transport().http2).toEqual({ goAways: 0, refusedStreams: 0 });
    await Promise.all(many(10, () => sendOne(sender)));
    expect(sessions()).toBe(4);
  });

  test('are closed when they were idle for their time', async () => {
    const clock = new VirtualClock();
    const peer = await openHttp2Peer(({ connection, stream }) => connection.answer(stream, '{}'));
    const sender = openTestSender(peer.port, { http2, clock, idleConnectionMs: ms(4000) });
    await sendOne(sender, '{}', clock);
    await clock.run(3999);
    expect(sender.connections.open).toBe(1);
    expect((await sendOne(sender, '{}', clock)).reused).toBe(true);
    await clock.run(8000);
    await eventually(() => sender.connections.open === 0);
    expect(await sendOne(sender, '{}', clock)).toMatchObject({ reused: false, status: 200 });
    expect(sender.connections.opened).toBe(2);
  });
});

describe('GOAWAY', () => {
  test('during a run loses nothing: unprocessed requests are retried, the others end normally', async () => {
    const done: string[] = [];
    const peer = await openHttp2Peer(({ connection, stream, body }) => {
      if (peer.connections[0] !== connection) return finish({ connection, stream, body });
      if (peer.arrivals.length !== 10) return;
      connection.goAway(9); // Streams 1, 3, 5, 7 and 9 of ten.
      for (const each of peer.arrivals.slice(0, 5)) finish(each);
    });
    const finish = ({ connection, stream, body }: Pick<Http2Arrival, 'connection' | 'stream' | 'body'>): void => {
      done.push(body);
      connection.answer(stream, body);
    };
    const sender = openTestSender(peer.port, { http2 });
    const exchanges = await Promise.all(many(10, (index) => sendOne(sender, String(index))));
    expect(exchanges.map(({ failure, body }) => [failure, body])).toEqual(
      many(10, (index) => [undefined, String(index)]),
    );
    expect(done.sort()).toEqual(many(10, String));
    expect(sender.transport()).toMatchObject({
      exchanges: { http2: 10 },
      http2: { goAways: 1, refusedStreams: 5 },
    });
    expect(sender.connections.opened).toBe(2);
    await eventually(() => sender.connections.open === 1);
  });

  test('with an error ends requests that the server may have begun, and not the others', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) => {
      if (peer.connections[0] !== connection) connection.answer(stream, 'again');
      else if (peer.arrivals.length === 2) connection.goAway(1, 11);
    });
    const sender = openTestSender(peer.port, { http2 });
    const [first, second] = await Promise.all([sendOne(sender), sendOne(sender)]);
    expect(first).toMatchObject({ failure: 'connection_lost', status: 0 });
    expect(first.detail).toContain('GOAWAY, ENHANCE_YOUR_CALM');
    expect(second).toMatchObject({ body: 'again', detail: '' });
  });

  test('by a server that shuts down causes no failed exchange under load', async () => {
    let served = 0;
    const server = createServer();
    server.on('session', (session) => {
      let here = 0;
      session.on('stream', (stream: ServerHttp2Stream) => {
        stream.resume().on('end', () => {
          served++;
          stream.respond({ ':status': 200 });
          stream.end('{}');
          if (++here === 50) session.close();
        });
      });
    });
    const { port, sessions } = await listen(server);
    const sender = openTestSender(port, { http2 });
    const failures: Exchange[] = [];
    const user = async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn++) {
        const exchange = await sendOne(sender);
        if (exchange.failure !== undefined || exchange.status !== 200) failures.push(exchange);
      }
    };
    await Promise.all(many(8, user));
    expect(failures).toEqual([]);
    expect(served).toBe(400);
    expect(sessions()).toBeGreaterThanOrEqual(5);
    expect(sender.transport().http2?.goAways).toBeGreaterThanOrEqual(4);
  });
});

describe('a stream that ends early', () => {
  test('was refused: it is retried on another connection, with its first instants', async () => {
    const peer = await openHttp2Peer(({ connection, stream, number }) => {
      if (number <= 3) connection.reset(stream, 7);
      else connection.answer(stream, '{}');
    });
    const sender = openTestSender(peer.port, { http2 });
    const sentAt = systemClock.now();
    expect(await sender.send(messageOf('{}'), sentAt)).toMatchObject({
      status: 200,
      sentAt,
      reused: false,
      detail: '',
    });
    expect(peer.arrivals).toHaveLength(4);
    expect(peer.arrivals.slice(1, 2).map(({ connection }) => peer.connections.indexOf(connection))).toEqual([1]);
    expect(sender.transport()).toMatchObject({ exchanges: { http2: 1 }, http2: { refusedStreams: 3 } });
  });

  test('was refused too often: it is lost, with the reason', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) => connection.reset(stream, 7));
    const sender = openTestSender(peer.port, { http2 });
    const exchange = await sendOne(sender);
    expect(exchange).toMatchObject({ failure: 'connection_lost', status: 0 });
    expect(exchange.detail).toContain('refused it 4 times (REFUSED_STREAM');
    expect(peer.arrivals).toHaveLength(4);
    expect(sender.transport().http2).toEqual({ goAways: 0, refusedStreams: 4 });
  });

  test.each([
    [0, 'connection_lost', 'NO_ERROR'],
    [1, 'malformed', 'PROTOCOL_ERROR'],
    [2, 'connection_lost', 'INTERNAL_ERROR: the server failed'],
    [6, 'malformed', 'FRAME_SIZE_ERROR'],
    [8, 'connection_lost', 'CANCEL: the server cancelled it'],
    [11, 'connection_lost', 'ENHANCE_YOUR_CALM: the server asks for less load'],
    [13, 'connection_lost', 'HTTP_1_1_REQUIRED'],
    [99, 'connection_lost', 'code 99'],
  ] as const)('with the code %i is %s, and the connection continues', async (code, failure, words) => {
    const peer = await openHttp2Peer(({ connection, stream, number }) => {
      if (number > 2) return connection.answer(stream, '{}');
      if (number === 2) {
        connection.head(stream, ok);
        connection.data(stream, '{"a"');
      }
      connection.reset(stream, code);
    });
    const sender = openTestSender(peer.port, { http2 });
    const [early, late] = [await sendOne(sender), await sendOne(sender)];
    expect(early).toMatchObject({ failure, status: 0, body: '' });
    expect(early.detail).toContain('the stream was reset before any byte of the response');
    expect(early.detail).toContain(words);
    expect(late).toMatchObject({ failure, status: 200, body: '' });
    expect(late.detail).toContain('the stream was reset after 4 bytes of the body on a kept connection');
    expect(await sendOne(sender)).toMatchObject({ status: 200, body: '{}', reused: true });
    expect(sender.connections.opened).toBe(1);
  });
});

describe('an exchange that was never sent', () => {
  test.each([
    ['a graceful GOAWAY', 2 ** 31 - 1, 0],
    ['a GOAWAY', 0, 0],
    ['a GOAWAY with an error', 0, 11],
  ])('is not counted as refused if %s arrived first', async (_, lastStream, code) => {
    const peer = await openHttp2Peer(({ connection, stream, body }) => connection.answer(stream, body), {
      greet: (connection, number) => {
        if (number === 1) connection.goAway(lastStream, code);
      },
    });
    const sender = openTestSender(peer.port, { http2 });
    const exchanges = await Promise.all(many(5, (index) => sendOne(sender, String(index))));
    expect(exchanges.map(({ failure, body }) => [failure, body])).toEqual(
      many(5, (index) => [undefined, String(index)]),
    );
    expect(peer.arrivals).toHaveLength(5);
    expect(peer.connections.map(({ streams }) => streams)).toEqual([0, 5]);
    expect(sender.transport().http2).toEqual({ goAways: 1, refusedStreams: 0 });
  });

  test('uses another connection if the first broke, and is lost if they all break', async () => {
    const peer = await openHttp2Peer(() => undefined, { greet: ({ socket }) => void socket.write(garbage) });
    const sender = openTestSender(peer.port, { http2 });
    const exchange = await sendOne(sender);
    expect(exchange).toMatchObject({ failure: 'connection_lost', status: 0 });
    expect(exchange.detail).toMatch(/^4 connections ended before it was sent \(.*broke the rules of HTTP\/2/);
    expect(peer.arrivals).toEqual([]);
    expect(peer.connections).toHaveLength(4);
    expect(sender.transport().http2).toEqual({ goAways: 0, refusedStreams: 0 });
  });

  test('since the connection broke in silence times out, and the next one has another connection', async () => {
    const clock = new VirtualClock();
    const peer = await openHttp2Peer(({ connection, stream, number }) => {
      if (number === 1) connection.socket.write(garbage);
      else connection.answer(stream, '{}');
    });
    const sender = openTestSender(peer.port, { http2, clock, timeoutMs: ms(500) });
    const first = sendOne(sender, '{}', clock);
    // SETTINGS and their acknowledgement, followed by garbage.
    await eventually(() => sender.traffic.bytesReceived >= 9 + 9 + garbage.length);
    await clock.run(100);
    const second = sendOne(sender, '{}', clock);
    await clock.run(600);
    expect([await first, await second]).toMatchObject([{ failure: 'timed_out' }, { failure: 'timed_out' }]);
    expect(await sendOne(sender, '{}', clock)).toMatchObject({ status: 200, body: '{}', reused: false });
    expect(peer.arrivals).toHaveLength(2);
    expect(sender.transport().http2).toEqual({ goAways: 0, refusedStreams: 0 });
  });
});

describe('a server that takes no stream', () => {
  test('has one connection, and the timeout reports why', async () => {
    const clock = new VirtualClock();
    const peer = await openHttp2Peer(() => undefined, { settings: { 3: 0 } });
    const sender = openTestSender(peer.port, { http2, clock, timeoutMs: ms(500) });
    const early = many(3, () => sendOne(sender, '{}', clock));
    await eventually(() => sender.transport().http2 !== null);
    const late = sendOne(sender, '{}', clock);
    await clock.run(500);
    for (const exchange of await Promise.all([...early, late])) {
      expect(exchange).toMatchObject({ failure: 'timed_out', endedAt: 500 });
      expect(exchange.detail).toContain('SETTINGS_MAX_CONCURRENT_STREAMS is 0');
    }
    const next = sendOne(sender, '{}', clock);
    await clock.run(1000);
    expect((await next).detail).toContain('SETTINGS_MAX_CONCURRENT_STREAMS is 0');
    expect(sender.connections).toEqual({ open: 1, opened: 1 });
    expect(peer.arrivals).toEqual([]);
  });

  test('receives the waiting requests as soon as it accepts streams', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) => connection.answer(stream, '{}'), {
      settings: { 3: 0 },
    });
    const sender = openTestSender(peer.port, { http2 });
    const sending = many(3, () => sendOne(sender));
    await eventually(() => sender.transport().http2 !== null);
    peer.connections[0]?.settings({ 3: 10 });
    expect((await Promise.all(sending)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(sender.connections.opened).toBe(1);
  });
});

describe('connection_lost', () => {
  test.each(['destroy', 'end', 'resetAndDestroy'] as const)('are all exchanges on a connection: %s', async (how) => {
    const peer = await openHttp2Peer(({ connection, stream, number }) => {
      connection.head(stream, [...ok, ['content-length', '9']]);
      connection.data(stream, 'abc');
      if (number === 3) setImmediate(() => connection.socket[how]());
    });
    const sender = openTestSender(peer.port, { http2 });
    for (const exchange of await Promise.all(many(3, () => sendOne(sender)))) {
      expect(exchange).toMatchObject({ failure: 'connection_lost', status: 200, body: '' });
      expect(exchange.detail).toMatch(/^(the server closed the connection|the connection broke)/);
      expect(exchange.detail).toContain('after 3 bytes of the body, of 9 declared');
    }
    await eventually(() => sender.connections.open === 0);
  });

  test('is noticed while it is idle, and the next exchange uses a new one', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) => connection.answer(stream, '{}'));
    const sender = openTestSender(peer.port, { http2 });
    await sendOne(sender);
    peer.connections[0]?.socket.end();
    await eventually(() => sender.connections.open === 0);
    expect(await sendOne(sender)).toMatchObject({ status: 200, reused: false });
  });
});

describe('connect_failed', () => {
  test('is a refused connection, for all exchanges that wait for it', async () => {
    const sender = openTestSender(await unusedPort(), { http2 });
    for (const exchange of await Promise.all([sendOne(sender), sendOne(sender)])) {
      expect(exchange).toMatchObject({ failure: 'connect_failed', status: 0, reused: false });
      expect(exchange.detail).toContain('connection refused (ECONNREFUSED');
    }
    expect(sender.connections).toEqual({ open: 0, opened: 1 });
  });

  test('is a server that speaks HTTP/1.1 in clear text', async () => {
    const peer = await openPeer(({ socket }) => void socket.end(response('{}', { status: '400 Bad Request' })));
    const sender = openTestSender(peer.port, { http2 });
    const sending = sendOne(sender);
    await eventually(() => peer.sockets.length === 1);
    peer.sockets[0]?.end(response('', { status: '400 Bad Request' }));
    const exchange = await sending;
    expect(exchange.failure).toBe('connect_failed');
    expect(exchange.detail).toContain('--http2');
  });

  test.each([
    ['offers HTTP/1.1 alone', ['http/1.1']],
    ['knows no ALPN', undefined],
  ])('is a TLS server that %s', async (_, ALPNProtocols) => {
    const peer = await openPeer(() => undefined, { ...identity, ...(ALPNProtocols && { ALPNProtocols }) });
    const baseUrl = new URL(`https://localhost:${String(peer.port)}`);
    const exchange = await sendOne(openTestSender(peer.port, { http2, baseUrl, tls: { ca: identity.cert } }));
    expect(exchange.failure).toBe('connect_failed');
    expect(exchange.detail).toContain('HTTP/2');
  });

  test('includes a server that does not answer within the connect timeout', async () => {
    const clock = new VirtualClock();
    const peer = await openHttp2Peer(() => undefined, { settings: null });
    const sender = openTestSender(peer.port, { http2, clock, connectTimeoutMs: ms(300) });
    const sending = sendOne(sender, '{}', clock);
    await eventually(() => peer.connections.length === 1);
    await clock.run(300);
    expect(await sending).toMatchObject({ failure: 'connect_failed', endedAt: 300 });
    await eventually(() => sender.connections.open === 0);
  });
});

describe('an exchange ended by the client', () => {
  test('is timed out, and resets its stream alone', async () => {
    const clock = new VirtualClock();
    const peer = await openHttp2Peer(({ connection, stream, number }) => {
      if (number === 1) connection.answer(stream, '{}');
      if (number === 3) connection.answer(stream, '{}');
    });
    const sender = openTestSender(peer.port, { http2, clock, timeoutMs: ms(500) });
    await sendOne(sender, '{}', clock);
    const late = sendOne(sender, '{}', clock);
    await eventually(() => peer.arrivals.length === 2);
    await clock.run(400);
    await sendOne(sender, '{}', clock);
    await clock.run(500);
    expect(await late).toMatchObject({ failure: 'timed_out', endedAt: 500, status: 0 });
    await eventually(() => peer.connections[0]?.resets.length === 1);
    expect(peer.connections[0]?.resets).toEqual([{ stream: 3, code: 8 }]);
    expect(sender.connections).toEqual({ open: 1, opened: 1 });
  });

  test('is timed out on a connection without any response: the next exchange uses another one', async () => {
    const clock = new VirtualClock();
    const peer = await openHttp2Peer(({ connection, stream, number }) => {
      if (number !== 2) connection.answer(stream, '{}');
    });
    const sender = openTestSender(peer.port, { http2, clock, timeoutMs: ms(500), idleConnectionMs: ms(4000) });
    await sendOne(sender, '{}', clock);
    await clock.run(100);
    const late = sendOne(sender, '{}', clock);
    await eventually(() => peer.arrivals.length === 2);
    await clock.run(600);
    expect(await late).toMatchObject({ failure: 'timed_out', endedAt: 600 });
    expect(await sendOne(sender, '{}', clock)).toMatchObject({ status: 200, reused: false });
  });

  test('is abandoned, or stalls, and keeps the events of a streamed reply', async () => {
    const clock = new VirtualClock();
    const peer = await openHttp2Peer(({ connection, stream }) => {
      connection.head(stream, [...ok, ['content-type', 'text/event-stream']]);
      connection.data(stream, 'data: a\n\n');
    });
    const options = { http2, clock, timeoutMs: ms(5000) };
    const left = openTestSender(peer.port, options);
    const leaving = left.send(pieceRequest(), clock.now(), ms(100));
    const stalled = openTestSender(peer.port, { ...options, stallTimeoutMs: ms(300) });
    const stalling = stalled.send(pieceRequest(), clock.now());
    await eventually(() => [left, stalled].every(({ traffic }) => traffic.bytesReceived >= 9 + 9 + 44 + 18));
    await clock.run(100);
    expect(await leaving).toMatchObject({ failure: 'abandoned', endedAt: 100, stream: { text: 'a' } });
    await clock.run(300);
    expect(await stalling).toMatchObject({ failure: 'timed_out', endedAt: 300, stream: { text: 'a' } });
    expect((await stalling).detail).toContain('it stalled after 9 bytes of the body');
  });

  test('is timed out with the end of its reply named, if that has arrived and the stream stays open', async () => {
    const clock = new VirtualClock();
    const peer = await openHttp2Peer(({ connection, stream }) => {
      connection.head(stream, [...ok, ['content-type', 'text/event-stream']]);
      connection.data(stream, 'data: a\n\ndata: END\n\n');
    });
    const options = { http2, clock, timeoutMs: ms(500) };
    const senders = [
      openTestSender(peer.port, options),
      openTestSender(peer.port, { ...options, stallTimeoutMs: ms(300) }),
    ];
    const sending = Promise.all(senders.map(async (sender) => sender.send(pieceRequest(), clock.now())));
    await eventually(() => senders.every(({ traffic }) => traffic.bytesReceived >= 9 + 9 + 44 + 29));
    await clock.run(600);
    const [late, open] = await sending;
    expect([late, open]).toMatchObject([
      { failure: 'timed_out', endedAt: 500, stream: { text: 'a' } },
      { failure: 'timed_out', endedAt: 300, stream: { text: 'a' } },
    ]);
    const words = 'the end of the reply had arrived, but the response was not ended';
    expect(late?.detail).toBe(`no complete response within 500 ms: ${words}, after 20 bytes of the body`);
    expect(open?.detail).toBe(`${words} within 300 ms of its last content, after 20 bytes of the body`);
  });

  test('is aborted when the run is cut, and all later ones', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) => connection.head(stream, ok));
    const sender = openTestSender(peer.port, { http2 });
    const sending = sendOne(sender);
    await eventually(() => peer.arrivals.length === 1);
    sender.cut();
    expect(await sending).toMatchObject({ failure: 'aborted' });
    expect(await sendOne(sender)).toMatchObject({ failure: 'aborted', isHttp2: true });
    await sender.close();
    expect(sender.connections.open).toBe(0);
  });
});

describe('malformed', () => {
  const limits = { maxHeadBytes: 200, maxBodyBytes: 10 };

  test.each<[string, (arrival: Http2Arrival) => void, number, string]>([
    [
      'a body that is declared over the limit',
      ({ connection, stream }) => connection.head(stream, [...ok, ['content-length', '11']]),
      200,
      'limit of 10 bytes',
    ],
    [
      'a body over the limit',
      ({ connection, stream }) => {
        connection.head(stream, ok);
        connection.data(stream, 'abcdef');
        connection.data(stream, 'ghijk');
      },
      200,
      'over the limit of 10 bytes',
    ],
    [
      'a head over the limit',
      ({ connection, stream }) => connection.head(stream, [...ok, ['x', 'x'.repeat(200)]]),
      0,
      'over the limit of 200 bytes',
    ],
    [
      'an encoded body',
      ({ connection, stream }) => connection.head(stream, [...ok, ['content-encoding', 'gzip']]),
      200,
      'gzip',
    ],
    [
      'a body shorter than declared',
      ({ connection, stream }) => connection.answer(stream, '{}', [['content-length', '3']]),
      200,
      'PROTOCOL_ERROR',
    ],
    [
      'a transfer coding',
      ({ connection, stream }) => connection.answer(stream, '{}', [['transfer-encoding', 'chunked']]),
      0,
      'PROTOCOL_ERROR',
    ],
    ['no status', ({ connection, stream }) => connection.head(stream, [['x', 'y']], true), 0, 'PROTOCOL_ERROR'],
    [
      'a switch of protocols',
      ({ connection, stream }) => connection.head(stream, [[':status', '101']]),
      0,
      'PROTOCOL_ERROR',
    ],
  ])('is %s, and the connection continues', async (_, answer, status, words) => {
    const peer = await openHttp2Peer((arrival) => {
      if (arrival.number === 1) answer(arrival);
      else arrival.connection.answer(arrival.stream, '{}');
    });
    const sender = openTestSender(peer.port, { http2, ...limits });
    const exchange = await sendOne(sender);
    expect(exchange).toMatchObject({ failure: 'malformed', status, body: '' });
    expect(exchange.detail).toContain(words);
    expect(await sendOne(sender)).toMatchObject({ body: '{}', reused: true });
  });

  test.each<[string, (arrival: Http2Arrival) => void]>([
    ['a promise of a push', ({ connection, stream }) => connection.promise(stream)],
    ['a window that grows by nothing', ({ connection }) => connection.frame(8, 0, { payload: Buffer.alloc(4) })],
  ])('is %s, for all exchanges on the connection', async (_, answer) => {
    const peer = await openHttp2Peer((arrival) => {
      if (arrival.number === 2) answer(arrival);
      if (arrival.number > 2) arrival.connection.answer(arrival.stream, '{}');
    });
    const sender = openTestSender(peer.port, { http2 });
    for (const exchange of await Promise.all([sendOne(sender), sendOne(sender)])) {
      expect(exchange).toMatchObject({ failure: 'malformed', status: 0 });
      expect(exchange.detail).toContain('the server broke the rules of HTTP/2');
    }
    expect(await sendOne(sender)).toMatchObject({ status: 200, reused: false });
    expect(sender.transport().http2).toEqual({ goAways: 0, refusedStreams: 0 });
  });

  test('is an event over the limit', async () => {
    const peer = await openHttp2Peer(({ connection, stream }) => {
      connection.head(stream, [...ok, ['content-type', 'text/event-stream']]);
      connection.data(stream, `data: ${'x'.repeat(50)}`);
    });
    const sender = openTestSender(peer.port, { http2, maxEventBytes: 20 });
    const exchange = await sender.send(pieceRequest(), systemClock.now());
    expect(exchange).toMatchObject({ failure: 'malformed', status: 200 });
    expect(exchange.detail).toContain('over the limit of its size');
  });
});
