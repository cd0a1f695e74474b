import { describe, expect, test } from 'vitest';
import { openPeer, openTestSender, response, sendOne } from '../support/http-peer.ts';
import { localhostIdentity as identity } from '../support/localhost-identity.ts';

describe('TLS', () => {
  const localhost = (port: number): URL => new URL(`https://localhost:${String(port)}`);

  test('refuses a self-signed certificate, and names it', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')), identity);
    const exchange = await sendOne(openTestSender(peer.port, { baseUrl: localhost(peer.port) }));
    expect(exchange.failure).toBe('connect_failed');
    expect(exchange.detail).toContain('certificate');
    expect(exchange.detail).toContain('self-signed');
    expect(exchange.detail).toContain('NODE_EXTRA_CA_CERTS');
    expect(peer.arrivals).toHaveLength(0);
  });

  test('takes a certificate of a named CA, and keeps the connection', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(200_000) });
    const peer = await openPeer(({ socket }) => void socket.write(response(body)), identity);
    const sender = openTestSender(peer.port, { baseUrl: localhost(peer.port), tls: { ca: identity.cert } });
    const first = await sendOne(sender);
    expect(first).toMatchObject({ status: 200, body, reused: false, detail: '' });
    expect(first.connectMs).toBeGreaterThan(0);
    expect(await sendOne(sender)).toMatchObject({ status: 200, body, reused: true });
  });

  test('refuses a certificate for another name', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')), identity);
    const baseUrl = new URL(`https://127.0.0.1:${String(peer.port)}`);
    const exchange = await sendOne(openTestSender(peer.port, { baseUrl, tls: { ca: identity.cert } }));
    expect(exchange.failure).toBe('connect_failed');
    expect(exchange.detail).toContain('certificate');
    expect(peer.arrivals).toHaveLength(0);
  });

  test('takes any certificate when verification is off', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')), identity);
    const sender = openTestSender(peer.port, { baseUrl: localhost(peer.port), tls: { rejectUnauthorized: false } });
    expect(await sendOne(sender)).toMatchObject({ status: 200, detail: '' });
  });
});
