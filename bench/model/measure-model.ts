import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as pass } from 'node:timers/promises';
import type { ModelOptions } from '../../src/scenario/model-options.ts';
import type { Finding } from '../finding.ts';
import { median } from '../markdown.ts';
import { startPinned } from '../pinned.ts';
import { modelPeers } from './model-peers.ts';
import { ownUsageOf } from '../process-tree.ts';

interface Bench {
  folder: string;
  rounds: number;
  load: { windowMs: number };
  report: (text: string) => void;
}

interface Rate {
  callsPerSecond: number;
  eventsPerSecond: number;
  /** Share of its core that the service used. */
  share: number;
}

const warmUpMs = 2000;
const peerPort = 9018;

/** Measures the model service on one core, with inputs of 200 words: calls and streamed events per second. */
export async function measureModel(bench: Bench): Promise<Finding[]> {
  const whole = await measure(bench, { options: { latency: 0, tokenTime: 0 }, isStreamed: false, connections: 32 });
  const options = { latency: '300ms', tokenTime: '10ms' } as const;
  const streamed = await measure(bench, { options, isStreamed: true, connections: 1000 });
  const fast = await measure(bench, { options: { latency: 0, tokenTime: 0 }, isStreamed: true, connections: 32 });
  const peers: Finding[] = [];
  for (const { name, isPresent, command } of modelPeers) {
    if (!isPresent()) continue;
    const rates: Rate[] = [];
    for (const isStreamed of [false, true])
      rates.push(
        await measureOnce(
          { port: String(peerPort), command: command(String(peerPort)) },
          { isStreamed, connections: 32 },
          bench.load.windowMs,
        ),
      );
    const [calls = NaN, events = NaN] = [rates[0]?.callsPerSecond, rates[1]?.eventsPerSecond];
    bench.report(`${name}: ${calls.toFixed(0)} calls/s, ${events.toFixed(0)} events/s`);
    peers.push(
      { what: `${name}: calls/s that are not streamed, 32 connections`, value: calls },
      { what: `${name}: events/s of 32 streams without pauses`, value: events },
    );
  }
  return [
    { what: 'calls/s that are not streamed, 32 connections', value: whole.callsPerSecond, atLeast: 5000 },
    { what: 'the same: share of the core', value: whole.share },
    {
      what: 'events/s of 1,000 concurrent streams, a token per 10 ms',
      value: streamed.eventsPerSecond,
      atLeast: 40_000,
    },
    { what: 'the same: share of the core', value: streamed.share },
    { what: 'events/s of 32 streams without pauses', value: fast.eventsPerSecond, atLeast: 40_000 },
    ...peers,
  ];
}

async function measure(
  { folder, rounds, load, report }: Bench,
  given: { options: ModelOptions; isStreamed: boolean; connections: number },
): Promise<Rate> {
  const config = join(folder, 'model.json');
  await writeFile(config, JSON.stringify(given.options));
  const rates: Rate[] = [];
  for (let round = 0; round < rounds; round++) {
    const serve = ['dist/cli/main.js', 'serve', '--as', 'model', '--port', '0', '--config', config];
    const rate = await measureOnce({ command: [process.execPath, ...serve] }, given, load.windowMs);
    rates.push(rate);
    report(
      `${rate.callsPerSecond.toFixed(0)} calls/s, ${rate.eventsPerSecond.toFixed(0)} events/s, core ${rate.share.toFixed(2)}`,
    );
  }
  const middle = (name: keyof Rate): number => median(rates.map((rate) => rate[name]));
  return {
    callsPerSecond: middle('callsPerSecond'),
    eventsPerSecond: middle('eventsPerSecond'),
    share: middle('share'),
  };
}

/** The command of a service, and its port; without one, its first line ends with it. */
interface Served {
  command: readonly [string, ...string[]];
  port?: string;
}

async function measureOnce(
  { command, port: given }: Served,
  { isStreamed, connections }: { isStreamed: boolean; connections: number },
  windowMs: number,
): Promise<Rate> {
  const service = startPinned('target', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = given ?? /:(\d+)$/.exec(await firstLine(service.stdout))?.[1] ?? '';
    await listening(port);
    service.stdout?.resume();
    const words = [port, isStreamed ? 1 : 0, connections, warmUpMs, windowMs].map(String);
    const run = ['--import', 'jiti/register', 'bench/model/model-client.ts', ...words];
    const client = startPinned('generator', [process.execPath, ...run], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (client.stdout === null) throw new Error('no standard output');
    const lines = createInterface(client.stdout)[Symbol.asyncIterator]();
    await lines.next();
    const before = ownUsageOf(service.pid ?? 0)?.cpuMs ?? NaN;
    const counted = await lines.next();
    const cpuMs = (ownUsageOf(service.pid ?? 0)?.cpuMs ?? NaN) - before;
    const { calls, events, seconds } = JSON.parse(String(counted.value)) as {
      calls: number;
      events: number;
      seconds: number;
    };
    return { callsPerSecond: calls / seconds, eventsPerSecond: events / seconds, share: cpuMs / 1000 / seconds };
  } finally {
    service.kill();
  }
}

/** Resolves when a service accepts connections. */
async function listening(port: string): Promise<void> {
  for (;;) {
    const socket = connect(Number(port), '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await pass(200);
  }
}

async function firstLine(stream: Readable | null): Promise<string> {
  if (stream === null) throw new Error('no standard output');
  const [line] = (await once(createInterface(stream), 'line')) as [string];
  return line;
}
