import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import type { Sender, SenderOptions } from '../../src/edge/http/sender/sender-options.ts';
import type { LookUpAll } from '../../src/edge/http/connect/shared-lookup.ts';
import { eventually, openTestSender, response, sendOne } from '../support/http-peer.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** Opens a service on every loopback address, and records the addresses that received exchanges. */
async function openEverywhere(body = '{}'): Promise<{ port: number; came: string[]; sockets: Socket[] }> {
  const [came, sockets]: [string[], Socket[]] = [[], []];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      came.push(socket.localAddress ?? '');
      socket.write(response(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, came, sockets };
}

/** Opens a resolver with the answer that a test sets. */
function openResolver(addresses: string[] | Error): {
  say: (now: string[] | Error) => void;
  asked: () => number;
  lookUp: LookUpAll;
} {
  let [answer, count] = [addresses, 0];
  const lookUp: LookUpAll = (_host, _options, found) => {
    count++;
    const said = answer;
    setImmediate(() => {
      if (said instanceof Error) found(said, []);
      else
        found(
          null,
          said.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
    });
  };
  return { say: (now) => (answer = now), asked: () => count, lookUp };
}

const open = (port: number, options: Partial<SenderOptions>): Sender =>
  openTestSender(port, {
    baseUrl: new URL(`http://agent.test:${String(port)}`),
    idleConnectionMs: ms(36_000_000),
    timeoutMs: ms(36_000_000),
    dnsRefreshMs: ms(30_000),
    ...options,
  });

describe('a service that moves', () => {
  async function play(first: string[]) {
    const [service, resolver, clock] = [await openEverywhere(), openResolver(first), new VirtualClock()];
    const sender = open(service.port, { lookUp: resolver.lookUp, clock });
    const send = async (): Promise<boolean> => (await sendOne(sender, '{}', clock)).reused;
    const refresh = async (): Promise<void> => {
      const before = resolver.asked();
      await clock.run(clock.now() + 30_000);
      expect(resolver.asked()).toBe(before + 1);
      // The answer arrives in the next iteration of the event loop.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    };
    return { ...service, ...resolver, clock, sender, send, refresh };
  }

  test('is followed when its address was missing twice', async () => {
    const { say, send, refresh, came, sockets, sender } = await play(['127.0.0.1']);
    expect([await send(), await send()]).toEqual([false, true]);
    say(['127.0.0.2']);
    await refresh();
    expect(await send()).toBe(true);
    await refresh();
    await eventually(() => sockets[0]?.closed === true);
    expect([await send(), await send()]).toEqual([false, true]);
    expect(came).toEqual([...Array<string>(3).fill('127.0.0.1'), '127.0.0.2', '127.0.0.2']);
    expect(sender.transport().addresses).toEqual([
      { address: '127.0.0.1', connections: 1, exchanges: 3 },
      { address: '127.0.0.2', connections: 1, exchanges: 2 },
    ]);
  });

  test('keeps its connections through lookups that fail, or that return the same addresses reordered or in part', async () => {
    const { say, send, refresh, sockets } = await play(['127.0.0.1', '127.0.0.2']);
    await send();
    const answers = [
      new Error('SERVFAIL'),
      ['127.0.0.2', '127.0.0.1'],
      ['127.0.0.2'],
      ['127.0.0.1'],
      ['127.0.0.2'],
      new Error('x'),
      [],
    ];
    for (const answer of answers) {
      say(answer);
      await refresh();
      expect(await send()).toBe(true);
    }
    expect(sockets).toHaveLength(1);
  });

  test('finishes an exchange in progress with the address that it began with', async () => {
    const { say, refresh, sockets, came, send } = await play(['127.0.0.1']);
    await send();
    const [first] = sockets;
    first?.removeAllListeners('data');
    const going = send();
    await new Promise((resolve) => first?.once('data', resolve));
    say(['127.0.0.2']);
    await refresh();
    first?.write(response('{}'));
    expect(await going).toBe(true);
    await refresh();
    expect(await send()).toBe(false);
    expect(came).toEqual(['127.0.0.1', '127.0.0.2']);
  });

  test('is not looked up again if it is an address, or if lookups are disabled; no timer remains at the end', async () => {
    const { port } = await openEverywhere();
    const clock = new VirtualClock();
    const { lookUp, asked } = openResolver(['127.0.0.1']);
    const literal = open(port, { baseUrl: new URL(`http://127.0.0.1:${String(port)}`), lookUp, clock });
    const off = open(port, { lookUp, clock, dnsRefreshMs: null });
    const on = open(port, { lookUp, clock });
    for (const sender of [literal, off]) await sendOne(sender, '{}', clock);
    await clock.run(600_000);
    expect(asked()).toBe(1);
    await sendOne(on, '{}', clock);
    for (const sender of [literal, off, on]) await sender.close();
    expect(clock.pending).toBe(0);
  });
});

describe('an address given for a host', () => {
  test('is used instead of a lookup, and the host remains in the request', async () => {
    const { port, came, sockets } = await openEverywhere();
    const texts: string[] = [];
    const { lookUp, asked } = openResolver(new Error('nobody may ask'));
    const resolve = [`other.test:${String(port)}:127.0.0.9`, `agent.test:${String(port)}:127.0.0.3`];
    const sender = open(port, { resolve, lookUp });
    const going = sendOne(sender);
    await eventually(() => sockets.length === 1);
    sockets[0]?.on('data', (bytes: Buffer) => texts.push(bytes.toString()));
    expect(await going).toMatchObject({ status: 200 });
    expect([came, asked()]).toEqual([['127.0.0.3'], 0]);
    await sendOne(sender);
    expect(texts.at(-1)).toContain(`\r\nHost: agent.test:${String(port)}\r\n`);
  });
});

describe('a host with several addresses', () => {
  test('is reached if the first one refuses, and the one that answered is counted', async () => {
    const { port } = await openEverywhere();
    const sender = open(port, { lookUp: openResolver(['::1', '127.0.0.1']).lookUp });
    expect(await sendOne(sender)).toMatchObject({ status: 200 });
    expect(sender.transport().addresses).toEqual([{ address: '127.0.0.1', connections: 1, exchanges: 1 }]);
  });

  test('is reached within half a second if the first one is a black hole', async () => {
    const hole = await openBlackHole();
    const server = createServer(
      (socket) => void socket.on('error', () => undefined).on('data', () => socket.write(response('{}'))),
    );
    await new Promise<void>((resolve) => server.listen(hole.port, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const sender = open(hole.port, { lookUp: openResolver([hole.address, '127.0.0.1']).lookUp });
    const { status, connectMs, detail } = await sendOne(sender);
    expect([status, detail]).toEqual([200, '']);
    // Node waits 250 ms for an address before it tries the next one.
    expect(connectMs).toBeGreaterThan(200);
    // Far below the connect timeout, by which the first address alone would end.
    expect(connectMs).toBeLessThan(9000);
    expect(sender.transport().addresses.map(({ address }) => address)).toEqual(['127.0.0.1']);
    await sender.close();
  });
});

/** A port that takes no connection and refuses none: whoever listens is stopped, and its queue is full. */
async function openBlackHole(address = '127.0.0.2'): Promise<{ address: string; port: number }> {
  const worker = new Worker(stopped, { eval: true, workerData: address });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const fillers = Array.from({ length: 4 }, () => connect({ port, host: address }).on('error', () => undefined));
  onTestFinished(() => fillers.forEach((socket) => socket.destroy()));
  await eventually(() => fillers.filter(({ readyState }) => readyState === 'open').length >= 2);
  return { address, port };
}

const stopped = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: workerData, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;
