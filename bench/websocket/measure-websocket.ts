import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pass } from 'node:timers/promises';
import type { Finding } from '../finding.ts';
import { median } from '../markdown.ts';
import { startPinned } from '../pinned.ts';
import { usageOf } from '../process-tree.ts';

interface Bench {
  folder: string;
  rounds: number;
  load: { windowMs: number };
  report: (text: string) => void;
  /** Another built checkout to compare with. */
  before: string | undefined;
}

/** Share of one core, turns and peak memory of a generator, in a window of its steady load. */
interface Measure {
  cpuUsPerTurn: number;
  turnsPerSecond: number;
  share: number;
  peakBytes: number;
}

const sockets = 32;
const framesPerTurn = 10;

/** Measures the cost of a turn over WebSocket next to a bare client of the same library, and that of idle sockets. */
export async function measureWebSocket({ folder, rounds, load, report, before }: Bench): Promise<Finding[]> {
  const ours: Measure[] = [];
  const bare: Measure[] = [];
  const earlier: Measure[] = [];
  const rows = [
    ['chat-load', ours, (port: number) => startRun({ folder, port, options: busy })],
    ...(before === undefined
      ? []
      : ([
          ['chat-load before', earlier, (port: number) => startRun({ folder, port, options: busy, checkout: before })],
        ] as const)),
    ['bare client', bare, startBare],
  ] as const;
  for (let round = 0; round < rounds; round++)
    for (const [name, measures, start] of round % 2 === 0 ? rows : rows.toReversed()) {
      const measure = await measureOnce(start, { warmUpMs: 2000, windowMs: load.windowMs });
      measures.push(measure);
      report(`${name}: ${measure.cpuUsPerTurn.toFixed(1)} us per turn`);
    }
  const idle = await measureOnce((port) => startRun({ folder, port, options: thinking }), {
    warmUpMs: 20_000,
    windowMs: 20_000,
  });
  const cost = (measures: readonly Measure[]): number => median(measures.map(({ cpuUsPerTurn }) => cpuUsPerTurn));
  return [
    { what: 'CPU per turn of one message and ten frames, chat-load', value: cost(ours), unit: 'µs' },
    { what: 'the same, a bare client of ws that parses each frame', value: cost(bare), unit: 'µs' },
    { what: 'CPU per frame received, chat-load', value: cost(ours) / framesPerTurn, unit: 'µs' },
    { what: 'CPU per frame received, bare client', value: cost(bare) / framesPerTurn, unit: 'µs' },
    { what: 'CPU per turn, chat-load over bare client', value: cost(ours) / cost(bare) },
    ...(before === undefined
      ? []
      : [{ what: 'CPU per turn, now over before', value: ratioOf(ours, earlier), atMost: 1.03 }]),
    { what: '5,000 sockets that think for 25 s: turns/s', value: idle.turnsPerSecond, atLeast: 190 },
    { what: 'the same: share of the core', value: idle.share, atMost: 1 },
    { what: 'the same: peak memory', value: idle.peakBytes / 1e6, unit: 'MB', atMost: 400 },
  ];
}

/** Returns the median of the ratios of pairs, each of one round. */
const ratioOf = (ours: readonly Measure[], others: readonly Measure[]): number =>
  median(ours.map(({ cpuUsPerTurn }, round) => cpuUsPerTurn / (others[round]?.cpuUsPerTurn ?? NaN)));

const busy = `sessions: 1000000, turns: 20, load: { concurrency: ${String(sockets)} }, duration: '1h'`;
const thinking =
  "sessions: 5000, turns: 4, load: { concurrency: 5000, rampUp: '15s' }, thinkTime: '25s', duration: '1h'";

interface Started {
  folder: string;
  port: number;
  options: string;
  checkout?: string;
}

async function startRun({ folder, port, options, checkout = '.' }: Started): Promise<ChildProcess> {
  const file = join(folder, 'websocket.mjs');
  const protocol = `{ name: 'bench', transport: 'websocket', connect: { path: '/' },
    send: ({ message }) => ({ type: 'message', text: message }),
    read: { text: 'text', end: ({ type }) => type === 'done' } }`;
  const target = `{ baseUrl: 'http://127.0.0.1:${String(port)}', auth: 'none', protocol: ${protocol} }`;
  const messages = "messages: ['Where is order {{session.number}}?'], integrity: false";
  await writeFile(file, `export default { name: 'websocket', ${options}, ${messages}, target: ${target} };\n`);
  const run = [process.execPath, join(checkout, 'dist/cli/main.js'), 'run', file, '--out', folder, '--quiet'] as const;
  return startPinned('generator', [...run], { stdio: 'ignore' });
}

function startBare(port: number): Promise<ChildProcess> {
  const words = ['--import', 'jiti/register', 'bench/websocket/bare-client.ts', String(port), String(sockets)];
  return Promise.resolve(startPinned('generator', [process.execPath, ...words], { stdio: 'ignore' }));
}

async function measureOnce(
  start: (port: number) => Promise<ChildProcess>,
  { warmUpMs, windowMs }: { warmUpMs: number; windowMs: number },
): Promise<Measure> {
  const serve = [process.execPath, '--import', 'jiti/register', 'bench/websocket/socket-target.ts'] as const;
  const target = startPinned('target', [...serve], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    if (target.stdout === null) throw new Error('no standard output');
    const [line] = (await once(createInterface(target.stdout), 'line')) as [string];
    const generator = await start(Number(line));
    try {
      const sample = async () => {
        const { turns } = (await (await fetch(`http://127.0.0.1:${line}/`)).json()) as { turns: number };
        const usage = usageOf(generator.pid ?? 0);
        if (usage === undefined) throw new Error('the generator has ended');
        return { turns, ...usage, at: performance.now() };
      };
      await pass(warmUpMs);
      const from = await sample();
      await pass(windowMs);
      const to = await sample();
      const [turns, cpuMs, ms] = [to.turns - from.turns, to.cpuMs - from.cpuMs, to.at - from.at];
      return {
        cpuUsPerTurn: (cpuMs * 1000) / turns,
        turnsPerSecond: (turns * 1000) / ms,
        share: cpuMs / ms,
        peakBytes: to.peakBytes,
      };
    } finally {
      generator.kill('SIGKILL');
      await once(generator, 'exit');
    }
  } finally {
    target.kill();
  }
}
