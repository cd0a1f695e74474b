import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/reference-client.ts';
import { streamBodies } from '../../../test/support/stream-client.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { embeddedDefaults, embeddedOptions, type EmbeddedOptions } from '../../scenario/embedded.ts';
import type { FaultOptions } from '../../scenario/embedded-faults.ts';
import { scriptedProvider } from '../conversation/scripted-provider.ts';
import { createService } from '../service.ts';
import { loadApis } from '../apis/registry.ts';

const apis = await loadApis();

const path = '/v1/chat/completions';

/** A service whose time is virtual, on a real socket. */
async function openService(author: EmbeddedOptions) {
  const clock = new VirtualClock();
  const options = embeddedOptions.parse(author);
  const { server, stats, close } = createService({ options, apis, provider: scriptedProvider(options, clock), clock });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${embeddedDefaults.apiKey}`, 'content-type': 'application/json' };
  const ask = () => {
    const asked = request({ port, path, method: 'POST', headers, agent: false });
    asked.on('error', () => undefined).on('response', (response) => response.resume().on('error', () => undefined));
    const broken: unknown[] = [];
    let received = '';
    asked.on('socket', (socket) => {
      socket.on('error', ({ code }: NodeJS.ErrnoException) => broken.push(code));
      socket.on('data', (chunk) => (received += String(chunk)));
    });
    asked.end(JSON.stringify(streamBodies[path]('Hi')));
    return { asked, broken, received: () => received };
  };
  return { clock, stats, ask };
}

test('the first event and the gaps follow the distributions, counted from the request', async () => {
  const { clock, stats, ask } = await openService({
    latency: '9s',
    stream: { firstToken: '300ms', gap: '50ms', events: 5 },
  });
  ask();
  await until(() => stats().streams.begun === 1);
  await clock.run();
  const { firstToken, gap, completed, contentEvents } = stats().streams;
  expect([completed, contentEvents]).toEqual([1, 5]);
  expect([firstToken.count, firstToken.minMs, firstToken.maxMs]).toEqual([1, 300, 300]);
  expect([gap.count, gap.minMs, gap.maxMs]).toEqual([4, 50, 50]);
  expect(stats().messages.serviceTime).toMatchObject({ count: 1, minMs: 500 });
});

test('without a time to the first piece it is the latency, and a full service makes the next reply wait for a place', async () => {
  const { clock, stats, ask } = await openService({
    latency: '1s',
    capacity: 1,
    stream: { gap: '100ms', events: 11 },
  });
  ask();
  await until(() => stats().streams.begun === 1);
  ask();
  await until(() => stats().messages.received === 2);
  await clock.run();
  await until(() => stats().streams.begun === 2);
  await clock.run();
  expect(stats().streams.firstToken).toMatchObject({ count: 2, minMs: 1000, maxMs: 3000 });
});

test.each([
  ['stop', { contentEvents: 3, eventsAfterAbandon: 0, workAfterAbandonMs: 0 }],
  ['continue', { contentEvents: 3, eventsAfterAbandon: 7, workAfterAbandonMs: 700 }],
] as const)('a client that leaves midway: %s', async (onDisconnect, expected) => {
  const { clock, stats, ask } = await openService({ capacity: 1, stream: { gap: '100ms', events: 10, onDisconnect } });
  const { asked } = ask();
  await until(() => stats().streams.begun === 1);
  await clock.run(200);
  asked.destroy();
  await until(() => stats().messages.classes.abandoned === 1);
  await clock.run();
  expect(stats().streams).toMatchObject({ completed: 0, abandonedMidway: 1, ...expected });
  await until(() => stats().queue.busy === 0);
});

test('pieces that go out together have no time between them', async () => {
  const { clock, stats, ask } = await openService({ stream: { gap: '100ms', events: 4, flushEvery: 1000 } });
  ask();
  await until(() => stats().streams.begun === 1);
  await clock.run();
  expect(stats().streams.firstToken).toMatchObject({ count: 1, minMs: 300 });
  expect(stats().streams.gap).toMatchObject({ count: 3, maxMs: 0.001 });
});

test.each<[FaultOptions, unknown[]]>([
  [{ kind: 'stream_cut', afterEvents: 2 }, ['ECONNRESET']],
  [{ kind: 'cut' }, []],
])('%j: the connection ends as the fault requires', async (fault, expected) => {
  const { clock, stats, ask } = await openService({ faults: [fault], stream: { gap: '100ms', events: 4 } });
  const { asked, broken, received } = ask();
  const closed = new Promise((resolve) => asked.on('close', resolve));
  await until(() => stats().streams.begun === 1);
  await clock.run(150);
  // Data that arrives together with a reset may hide it.
  await until(() => received().split('"content":').length > 3);
  await clock.run();
  await closed;
  expect(broken).toEqual(expected);
  expect(stats().messages.classes.cut).toBe(1);
});
