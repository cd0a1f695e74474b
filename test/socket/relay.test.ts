import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openRelay } from '../../src/edge/http/open-relay.ts';
import { aimSocket } from '../../src/edge/http/connect/socket-aim.ts';
import type { TlsOptions } from '../../src/edge/http/connect/secure-options.ts';
import { eventually, openPeer, response, type Peer } from '../support/http-peer.ts';
import { localhostIdentity as identity } from '../support/localhost-identity.ts';

/** Sends one request through a relay; resolves with all that arrived until the end of the connection. */
async function sendThrough(peer: Peer, tls: TlsOptions): Promise<string> {
  const relay = await openRelay(aimSocket(new URL(`https://localhost:${String(peer.port)}`), tls));
  onTestFinished(() => relay.close());
  const client = connect(relay.path);
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sk-key\r\n\r\n');
  return text(client).catch(() => 'reset');
}

test('a relay adds TLS to a plain connection, and ends with the target', async () => {
  const peer = await openPeer(({ socket }) => void socket.end(response('{"answer":"Yes."}')), identity);
  expect(await sendThrough(peer, { ca: identity.cert })).toContain('{"answer":"Yes."}');
  await eventually(() => peer.sockets.every((socket) => socket.destroyed));
});

test('a relay sends nothing to a target whose certificate is not trusted', async () => {
  const arrivals: string[] = [];
  const peer = await openPeer((arrival) => void arrivals.push(arrival.text), identity);
  expect(['', 'reset']).toContain(await sendThrough(peer, {}));
  expect(arrivals).toEqual([]);
});

test('a relay that is closed ends its connections', async () => {
  const peer = await openPeer(() => undefined, identity);
  const aim = aimSocket(new URL(`https://localhost:${String(peer.port)}`), { ca: identity.cert });
  const relay = await openRelay(aim);
  const client = connect(relay.path);
  client.write('GET / HTTP/1.1\r\n\r\n');
  await eventually(() => (peer.sockets[0]?.bytesRead ?? 0) > 0);
  await relay.close();
  await eventually(() => client.destroyed && peer.sockets[0]?.destroyed === true);
});
