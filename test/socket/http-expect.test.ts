import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, openTestSender, response, sendOne } from '../support/http-peer.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

interface RawPeer {
  port: number;
  /** Bytes received on all connections, in order. */
  heard: string;
  sockets: Socket[];
}

/** Opens a server that sends only what the test writes, whatever it receives. */
async function openRawPeer(hear: (peer: RawPeer, socket: Socket) => void): Promise<RawPeer> {
  const peer: RawPeer = { port: 0, heard: '', sockets: [] };
  const server = createServer((socket) => {
    peer.sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      peer.heard += bytes.toString();
      hear(peer, socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  peer.port = (server.address() as AddressInfo).port;
  onTestFinished(async () => {
    for (const socket of peer.sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return peer;
}

const expectContinue = true;
const body = '{"message":"Grüße"}';

describe('a body with Expect: 100-continue', () => {
  test('is sent when the server continues, on a kept connection too', async () => {
    const peer = await openRawPeer(({ heard }, socket) => {
      if (heard.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      else if (heard.endsWith(body)) socket.write(response('{}'));
    });
    // Time stands still: the body does not wait for its second.
    const clock = new VirtualClock();
    const sender = openTestSender(peer.port, { expectContinue, clock });
    for (const reused of [false, true]) {
      const exchange = await sendOne(sender, body, clock);
      expect(exchange).toMatchObject({ status: 200, body: '{}', reused, detail: '' });
    }
    expect(peer.heard.match(/Expect: 100-continue\r\n/g)).toHaveLength(2);
    expect(sender.traffic.bytesSent).toBe(Buffer.byteLength(peer.heard));
  });

  test('is sent after a second to a server that does not answer, and not before', async () => {
    const clock = new VirtualClock();
    const peer = await openRawPeer(({ heard }, socket) => {
      if (heard.endsWith(body)) socket.write(response('{}'));
    });
    const sender = openTestSender(peer.port, { expectContinue, clock });
    const sending = sendOne(sender, body, clock);
    await eventually(() => peer.heard.endsWith('\r\n\r\n'));
    await clock.run(999);
    expect(peer.heard.endsWith('\r\n\r\n')).toBe(true);
    await clock.run(1000);
    expect(await sending).toMatchObject({ status: 200, endedAt: 1000 });
  });

  test('is not sent when the answer precedes it, and the connection is closed', async () => {
    const peer = await openRawPeer((_, socket) => {
      socket.write(response('{"error":"too large"}', { status: '413 Too Large' }));
    });
    const sender = openTestSender(peer.port, { expectContinue });
    expect(await sendOne(sender, body)).toMatchObject({ status: 413, body: '{"error":"too large"}', detail: '' });
    expect(await sendOne(sender, body)).toMatchObject({ status: 413, reused: false });
    expect(peer.heard).not.toContain(body);
    await eventually(() => sender.connections.open === 0);
  });

  test('leaves no timer after the exchange ends', async () => {
    const clock = new VirtualClock();
    const peer = await openRawPeer(() => undefined);
    const sender = openTestSender(peer.port, { expectContinue, clock });
    const sending = sendOne(sender, body, clock);
    await eventually(() => peer.heard !== '');
    await sender.close();
    expect(await sending).toMatchObject({ failure: 'aborted' });
    expect(clock.pending).toBe(0);
  });
});
