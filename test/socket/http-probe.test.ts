import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ChatLoadError } from '../../src/base/errors.ts';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { probeConnection } from '../../src/edge/http/probe-connection.ts';
import { eventually, openPeer, unusedPort } from '../support/http-peer.ts';
import { openHttp2Peer } from '../support/http2-peer.ts';
import { localhostIdentity as identity } from '../support/localhost-identity.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const options = { clock: systemClock, connectTimeoutMs: ms(10_000) };

const failureOf = async (probing: Promise<unknown>): Promise<ChatLoadError> => {
  const thrown: unknown = await probing.catch((error: unknown) => error);
  if (thrown instanceof ChatLoadError) return thrown;
  throw new Error('the probe found nothing wrong');
};

describe('the probe', () => {
  test('opens one connection, sends nothing, and closes it', async () => {
    const peer = await openPeer(() => undefined);
    const clock = new VirtualClock();
    await probeConnection({ ...options, clock, baseUrl: new URL(`http://127.0.0.1:${String(peer.port)}/path`) });
    expect(clock.pending).toBe(0);
    await eventually(() => peer.sockets[0]?.destroyed === true);
    expect(peer.sockets).toHaveLength(1);
    expect(peer.sockets[0]?.bytesRead).toBe(0);
  });

  test('reports that nothing listens, and what to check', async () => {
    const port = String(await unusedPort());
    const { code, message, hint } = await failureOf(
      probeConnection({ ...options, baseUrl: new URL(`http://127.0.0.1:${port}`) }),
    );
    expect(code).toBe('environment');
    expect(message).toContain(`http://127.0.0.1:${port} cannot be reached: connection refused`);
    expect(hint).toBe('Check that the service is running and that the port of the base URL is correct.');
  });

  test('reports an untrusted certificate, and accepts it with its CA', async () => {
    const peer = await openPeer(() => undefined, identity);
    const baseUrl = new URL(`https://localhost:${String(peer.port)}`);
    const { code, message, hint } = await failureOf(probeConnection({ ...options, baseUrl }));
    expect(code).toBe('environment');
    expect(message).toContain('self-signed certificate');
    expect(hint).toContain('NODE_EXTRA_CA_CERTS');
    await probeConnection({ ...options, baseUrl, tls: { ca: identity.cert } });
  });

  test.each([
    ['TLSv1.3', 'requires a client certificate'],
    ['TLSv1.2', 'it may require a client certificate'],
  ] as const)('finds a server that asks for a client certificate, with %s', async (version, words) => {
    const asking = { ...identity, requestCert: true, rejectUnauthorized: true, ca: identity.cert, maxVersion: version };
    const peer = await openPeer(() => undefined, asking);
    const baseUrl = new URL(`https://localhost:${String(peer.port)}`);
    const { message, hint } = await failureOf(probeConnection({ ...options, baseUrl, tls: { ca: identity.cert } }));
    expect(message).toContain(words);
    expect(message + hint).not.toMatch(/error:|routines/);
  });

  const localhost = (port: number): typeof options & { baseUrl: URL; tls: { ca: Buffer } } => ({
    ...options,
    baseUrl: new URL(`https://localhost:${String(port)}`),
    tls: { ca: identity.cert },
  });

  test.each([
    ['HTTP/1.1', undefined, 'http/1.1'],
    ['both', ['h2', 'http/1.1'], 'http/1.1'],
    ['HTTP/2 alone', ['h2'], 'h2'],
  ])('finds the protocol of a server: %s', async (_, ALPNProtocols, speaks) => {
    const peer = await openHttp2Peer(() => undefined, { tls: { ...identity, ALPNProtocols } });
    expect(await probeConnection(localhost(peer.port))).toMatchObject({ speaks });
  });

  test('finds HTTP/2 on request, in clear text too', async () => {
    const tls = await openHttp2Peer(() => undefined, { tls: { ...identity, ALPNProtocols: ['http/1.1', 'h2'] } });
    expect(await probeConnection({ ...localhost(tls.port), http2: true })).toMatchObject({ speaks: 'h2' });
    const clear = await openHttp2Peer(() => undefined);
    const baseUrl = new URL(`http://127.0.0.1:${String(clear.port)}`);
    expect(await probeConnection({ ...options, baseUrl, http2: true })).toMatchObject({ speaks: 'h2' });
    await eventually(() => [tls, clear].every(({ connections }) => connections[0]?.socket.destroyed === true));
    expect([tls.arrivals, clear.arrivals]).toEqual([[], []]);
  });

  test('reports that a server supports only HTTP/1.1 if HTTP/2 is requested', async () => {
    const peer = await openPeer(() => undefined, { ...identity, ALPNProtocols: ['http/1.1'] });
    const overTls = await failureOf(probeConnection({ ...localhost(peer.port), http2: true }));
    expect(overTls.code).toBe('environment');
    expect(overTls.message).toContain('does not support HTTP/2');
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const baseUrl = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    const inClear = await failureOf(probeConnection({ ...options, baseUrl, http2: true }));
    expect(inClear.message).toContain('before');
    expect(inClear.hint).toContain('--http2');
  });

  test('gives up after the connect timeout, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const peer = await openPeer(() => undefined); // Accepts the connection, and never answers the TLS handshake.
    const baseUrl = new URL(`https://127.0.0.1:${String(peer.port)}`);
    const failing = failureOf(probeConnection({ baseUrl, clock, connectTimeoutMs: ms(700) }));
    await eventually(() => peer.sockets.length === 1);
    // The client hello has arrived: TCP is connected.
    await eventually(() => (peer.sockets[0]?.bytesRead ?? 0) > 0);
    await clock.run(700);
    const { message, hint } = await failing;
    expect(message).toContain('accepted the connection, but did not answer the TLS handshake within 700 ms');
    expect(hint).toBe('Check that it uses TLS; otherwise start the base URL with http://.');
    expect(clock.pending).toBe(0);
  });

  test('refuses a base URL that is none before it connects', async () => {
    const { code } = await failureOf(probeConnection({ ...options, baseUrl: new URL('ftp://127.0.0.1') }));
    expect(code).toBe('usage');
  });
});
