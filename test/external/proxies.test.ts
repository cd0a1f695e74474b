import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ChatLoadError } from '../../src/base/errors.ts';
import { readProxyServer } from '../../src/base/proxy-server.ts';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { openPoster } from '../../src/edge/http/open-poster.ts';
import { probeConnection } from '../../src/edge/http/probe-connection.ts';
import type { SenderOptions } from '../../src/edge/http/sender/sender-options.ts';
import {
  openPeer,
  openTestSender,
  testSenderOptions,
  response,
  sendOne,
  unusedPort,
  type Peer,
} from '../support/http-peer.ts';
import { localhostIdentity as identity } from '../support/localhost-identity.ts';
import { requireProgram, startDante, startTinyproxy } from '../support/proxies.ts';
import { authorize, messageOf } from '../support/requests.ts';

const large = JSON.stringify({ text: 'x'.repeat(600_000) });

/** A target that counts, and how it is reached through a proxy. */
const openTarget = async (kind: 'http' | 'https', body = large): Promise<{ peer: Peer; baseUrl: URL }> => {
  const peer = await openPeer(
    ({ socket }) => void socket.write(response(body)),
    kind === 'https' ? identity : undefined,
  );
  return { peer, baseUrl: new URL(`${kind}://localhost:${String(peer.port)}/prefix`) };
};

const through = (proxy: string, baseUrl: URL): Partial<SenderOptions> & { baseUrl: URL } => ({
  baseUrl,
  proxy: readProxyServer(proxy),
  tls: { ca: identity.cert },
});

const probe = (options: Partial<SenderOptions> & { baseUrl: URL }): Promise<unknown> =>
  probeConnection({ clock: systemClock, connectTimeoutMs: ms(10_000), ...options });

const refusalOf = async (probing: Promise<unknown>): Promise<ChatLoadError> => {
  const failed: unknown = await probing.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failed instanceof ChatLoadError) return failed;
  throw new Error('it was not refused', { cause: failed });
};

/** Opens a proxy whose test controls each socket. */
const openHostile = async (serve: (socket: Socket) => void): Promise<number> => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
};

describe.runIf(requireProgram('tinyproxy', 'tinyproxy'))('through tinyproxy', () => {
  test.each(['http', 'https'] as const)('exchanges with an %s target are counted as the target does', async (kind) => {
    const { port, log } = await startTinyproxy({ login: 'me secret' });
    const { peer, baseUrl } = await openTarget(kind);
    const options = through(`http://me:secret@127.0.0.1:${String(port)}`, baseUrl);
    await probe(options);
    const sender = openTestSender(peer.port, options);
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => sendOne(sender)));
    for (const exchange of exchanges) expect(exchange).toMatchObject({ status: 200, body: large, detail: '' });
    expect(peer.arrivals).toHaveLength(20);
    expect(sender.transport()).toMatchObject({
      proxy: `http://127.0.0.1:${String(port)}`,
      exchanges: { http1: 20 },
      addresses: [{ address: '127.0.0.1', exchanges: 20 }],
    });
    for (const { connectMs } of exchanges) expect(connectMs).toBeGreaterThan(0);
    // Credentials are only for the proxy.
    for (const { text } of peer.arrivals) {
      expect(text).toMatch(/^POST \/prefix\//);
      expect(text).not.toMatch(/proxy-authorization/i);
    }
    expect(await log()).toContain(
      kind === 'https' ? `CONNECT localhost:${String(peer.port)}` : 'POST http://localhost',
    );
    if (kind === 'https') expect(await sendOne(sender)).toMatchObject({ status: 200, reused: true });
  });

  test.each(['http', 'https'] as const)(
    'a 407 for an %s target is the proxy, before the start and in a run',
    async (kind) => {
      const { port } = await startTinyproxy({ login: 'me secret' });
      const { peer, baseUrl } = await openTarget(kind);
      for (const [user, words, remedy] of [
        ['', 'asks for credentials', 'set them in --proxy'],
        ['me:wrong-word@', 'rejected the user and password', 'check the user and password'],
      ] as const) {
        const options = through(`http://${user}127.0.0.1:${String(port)}`, baseUrl);
        const exchange = await sendOne(openTestSender(peer.port, options));
        const said = `the proxy http://127.0.0.1:${String(port)} refused (40`;
        // tinyproxy answers wrong credentials with 401, as the target might.
        if (kind === 'https' || user === '') {
          expect(exchange.failure).toBe('connect_failed');
          expect(exchange.detail).toContain(said);
          expect(exchange.detail).toContain(words);
          expect(exchange.detail).toContain(remedy);
        }
        expect(exchange.detail).not.toContain('wrong-word');
        const { code, message, hint } = await refusalOf(probe(options));
        expect(code).toBe('environment');
        expect(message).toContain(said);
        expect(message).toContain(words);
        expect(hint.toLowerCase()).toContain(remedy);
      }
      expect(peer.arrivals).toHaveLength(0);
    },
  );

  test('a check also goes through it', async () => {
    const { port, log } = await startTinyproxy();
    for (const kind of ['http', 'https'] as const) {
      const { peer, baseUrl } = await openTarget(kind, '{"a":1}');
      const post = openPoster({
        ...testSenderOptions(0, { authorize, ...through(`http://127.0.0.1:${String(port)}`, baseUrl) }),
        keys: { good: 'k', wrong: 'w', wrong_kind: 'v' },
      });
      const { route } = messageOf('{}');
      expect(await post({ route, key: 'good', body: '{}' })).toMatchObject({
        status: 200,
        body: '{"a":1}',
        detail: '',
      });
      expect(peer.arrivals).toHaveLength(1);
    }
    expect(await log()).toContain('CONNECT localhost');
  });

  test('a target that is down is found before the start', async () => {
    const { port } = await startTinyproxy();
    for (const kind of ['http', 'https'] as const) {
      const baseUrl = new URL(`${kind}://127.0.0.1:${String(await unusedPort())}`);
      const { message, hint } = await refusalOf(probe(through(`http://127.0.0.1:${String(port)}`, baseUrl)));
      expect(message).toMatch(/the proxy http:\/\/127\.0\.0\.1:\d+ does not connect to 127\.0\.0\.1:\d+ \(50\d/);
      expect(hint).toContain('that the proxy reaches it');
    }
  });
});

describe.runIf(requireProgram('danted', 'dante-server'))('through dante', () => {
  test.each([
    ['http', 'socks5'],
    ['http', 'socks5h'],
    ['https', 'socks5'],
    ['https', 'socks5h'],
  ] as const)('exchanges with an %s target by %s are counted as the target does', async (kind, scheme) => {
    const { port } = await startDante();
    const { peer, baseUrl } = await openTarget(kind);
    const options = through(`${scheme}://127.0.0.1:${String(port)}`, baseUrl);
    await probe(options);
    const sender = openTestSender(peer.port, options);
    const exchanges = await Promise.all(Array.from({ length: 5 }, () => sendOne(sender)));
    for (const exchange of exchanges) expect(exchange).toMatchObject({ status: 200, body: large, detail: '' });
    expect(await sendOne(sender)).toMatchObject({ status: 200, body: large, reused: true });
    expect(peer.arrivals).toHaveLength(6);
    expect(sender.transport()).toMatchObject({
      proxy: `${scheme}://127.0.0.1:${String(port)}`,
      exchanges: { http1: 6 },
    });
  });

  test('a target that it does not allow or reach is connect_failed, with its reason', async () => {
    const { port } = await startDante();
    const proxy = `socks5h://127.0.0.1:${String(port)}`;
    for (const [host, why] of [
      ['127.0.0.9', 'its rules do not allow the connection'],
      ['127.0.0.1', 'connection refused'],
    ] as const) {
      const baseUrl = new URL(`http://${host}:${String(await unusedPort())}`);
      const exchange = await sendOne(openTestSender(1, through(proxy, baseUrl)));
      expect(exchange.failure).toBe('connect_failed');
      expect(exchange.detail).toContain(`the proxy ${proxy} does not connect to ${baseUrl.host}: ${why}`);
    }
  });

  test('unknown and missing credentials are rejected', async () => {
    const { port } = await startDante({ asksForLogin: true });
    for (const [user, words] of [
      ['nobody-here:wrong-word@', 'rejected the user and password'],
      ['', 'asks for credentials'],
    ] as const) {
      const { message } = await refusalOf(
        probe(through(`socks5://${user}127.0.0.1:${String(port)}`, new URL('http://127.0.0.1:9'))),
      );
      expect(message).toContain(words);
      expect(message).not.toContain('wrong-word');
    }
  });
});

describe('a SOCKS5 login', () => {
  test('is sent decoded, followed by the request', async () => {
    const came: Buffer[] = [];
    const { peer, baseUrl } = await openTarget('http', '{"ok":1}');
    const port = await openHostile((socket) => {
      socket.on('data', (bytes) => {
        if (came.length === 3) return;
        came.push(bytes);
        // In chunks, as on a slow network.
        if (came.length === 1) {
          socket.write(Buffer.from([5]));
          setImmediate(() => socket.write(Buffer.from([2])));
        }
        if (came.length === 2) socket.write(Buffer.from([1, 0]));
        if (came.length < 3) return;
        socket.write(Buffer.from([5, 0, 0, 3, 1, 97]));
        setImmediate(() => socket.write(Buffer.from([0, 80])));
        socket.on('data', () => socket.write(response('{"ok":1}')));
      });
    });
    const options = through(`socks5h://m%C3%A9:p%40ss%3A@127.0.0.1:${String(port)}`, baseUrl);
    expect(await sendOne(openTestSender(peer.port, options))).toMatchObject({ status: 200, body: '{"ok":1}' });
    expect(came[0]).toEqual(Buffer.from([5, 2, 0, 2]));
    expect(came[1]).toEqual(
      Buffer.concat([Buffer.from([1, 3]), Buffer.from('mé'), Buffer.from([5]), Buffer.from('p@ss:')]),
    );
    expect(came[2]?.subarray(0, 5)).toEqual(Buffer.from([5, 1, 0, 3, 9]));
    expect(came[2]?.subarray(5, 14).toString()).toBe('localhost');
    expect(came[2]?.readUInt16BE(14)).toBe(peer.port);
  });
});

describe('a hostile proxy', () => {
  const answering = (text: string): Promise<number> =>
    openHostile((socket) => void socket.on('data', () => socket.write(text)));
  const target = new URL('https://localhost:9');

  test.each([
    ['of SSH', 'http', 'SSH-2.0-OpenSSH_9.2\r\n', 'is not an HTTP proxy: it answered "SSH-2.0-OpenSSH_9.2'],
    ['of garbage', 'http', '\0\x01\x02', 'is not an HTTP proxy'],
    ['without a status', 'http', 'HTTP/1.1 what\r\n\r\n', 'is not an HTTP proxy'],
    [
      'of a web server',
      'http',
      'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n',
      'does not connect to localhost:9 (404 Not Found)',
    ],
    ['that forbids', 'http', 'HTTP/1.1 403 Filtered\r\n\r\n', 'does not connect to localhost:9 (403 Filtered)'],
    ['that cannot', 'http', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'does not connect to localhost:9 (502 Bad Gateway)'],
    [
      'of another scheme',
      'http',
      'HTTP/1.1 407 No\r\nProxy-Authenticate: Negotiate\r\nProxy-Authenticate: NTLM\r\n\r\n',
      '(407: it supports only Negotiate, NTLM)',
    ],
    [
      'that says more than it was asked',
      'http',
      'HTTP/1.1 200 OK\r\n\r\nhello',
      'is not an HTTP proxy: it answered "hello"',
    ],
    [
      'of HTTP to SOCKS',
      'socks5h',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      'is not a SOCKS5 proxy: it answered "HTTP/1.1 400',
    ],
    ['of an unknown method', 'socks5h', '\x05\x09', 'it asks for credentials'],
  ])('an answer %s is rejected', async (_, scheme, text, words) => {
    const proxy = `${scheme}://127.0.0.1:${String(await answering(text))}`;
    const options = through(proxy, target);
    const exchange = await sendOne(openTestSender(9, options));
    expect(exchange.failure).toBe('connect_failed');
    expect(exchange.detail).toContain(proxy);
    expect(exchange.detail).toContain(words);
    const { code, message, hint } = await refusalOf(probe(options));
    expect(code).toBe('environment');
    expect(message).toContain(words);
    expect(hint).not.toBe('');
  });

  test.each(['http', 'socks5h'])('that closes the connection is named (%s)', async (scheme) => {
    const proxy = `${scheme}://127.0.0.1:${String(await openHostile((socket) => void socket.end()))}`;
    const exchange = await sendOne(openTestSender(9, through(proxy, target)));
    expect(exchange).toMatchObject({ failure: 'connect_failed' });
    expect(exchange.detail).toContain(`the proxy ${proxy} closed the connection before it answered`);
  });

  test.each(['http', 'socks5h'])('that does not answer is named after the connect timeout (%s)', async (scheme) => {
    const proxy = `${scheme}://127.0.0.1:${String(await openHostile(() => undefined))}`;
    const options = { ...through(proxy, target), connectTimeoutMs: ms(50) };
    const exchange = await sendOne(openTestSender(9, options));
    expect(exchange).toMatchObject({ failure: 'connect_failed' });
    expect(exchange.detail).toMatch(
      new RegExp(`the proxy ${proxy} did not answer the \\w+ \\w+ localhost:9 within 50 ms`),
    );
    expect((await refusalOf(probe(options))).message).toContain('did not answer');
  });

  test('that opens a tunnel without an answer leaves the timeout to the target', async () => {
    const port = await openHostile((socket) => void socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n')));
    const proxy = `http://127.0.0.1:${String(port)}`;
    const exchange = await sendOne(openTestSender(9, { ...through(proxy, target), connectTimeoutMs: ms(50) }));
    expect(exchange.detail).toContain(`no connection to localhost:9 through the proxy ${proxy} within 50 ms`);
  });

  test.each(['http', 'https', 'socks5'])('that is unreachable is named (%s)', async (scheme) => {
    const proxy = `${scheme}://127.0.0.1:${String(await unusedPort())}`;
    const options = through(proxy, new URL('https://127.0.0.1:9'));
    const exchange = await sendOne(openTestSender(9, options));
    expect(exchange.detail).toContain(`the proxy ${proxy} cannot be reached: connection refused (ECONNREFUSED`);
    expect(exchange.failure).toBe('connect_failed');
  });

  test('that does not support tunnels may still forward', async () => {
    const port = await answering('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n');
    await probe(through(`http://127.0.0.1:${String(port)}`, new URL('http://localhost:9')));
    const ssh = `http://127.0.0.1:${String(await answering('SSH-2.0-x\r\n'))}`;
    expect((await refusalOf(probe(through(ssh, new URL('http://localhost:9'))))).message).toContain(
      'not an HTTP proxy',
    );
  });

  test('leaves no socket when a run is aborted during a handshake', async () => {
    const port = await openHostile(() => undefined);
    const sender = openTestSender(9, through(`http://127.0.0.1:${String(port)}`, target));
    const sent = sendOne(sender);
    sender.cut();
    expect(await sent).toMatchObject({ failure: 'aborted', detail: 'the run was cut while connecting' });
    await sender.close();
    expect(sender.connections.open).toBe(0);
  });
});
