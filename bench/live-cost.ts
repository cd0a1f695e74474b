import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../src/result/result.ts';
import type { Finding } from './finding.ts';
import { median } from './markdown.ts';
import { ownUsageOf } from './process-tree.ts';

/** 60 turns/s for a minute on any machine: the cost per second of a run is one journal line. */
const scenario = `export default {
  name: 'watched', duration: '60s', warmUp: '6s', gracePeriod: '2s', messages: ['Where is my order?'],
  load: { sessionsPerSecond: 20 }, turns: 3, thinkTime: '100ms', embedded: { latency: '50ms' },
};
`;
const viewers = 5;

/** Excluded seconds: at the start until hot code is compiled, and at the end while the report is written. */
const [startSeconds, endSeconds] = [30, 4];

/** Measures the cost of the live page with five viewers: CPU time relative to the same run without it, and lateness. */
export async function measureLiveCost({ folder, rounds }: { folder: string; rounds: number }): Promise<Finding[]> {
  const shares: number[] = [];
  const lateness: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const without = await runOnce(folder, 0);
    const watched = await runOnce(folder, viewers);
    shares.push(watched.share - without.share);
    lateness.push(watched.latenessMs - without.latenessMs);
  }
  return [
    {
      what: 'additional share of a core with a live page and five viewers, after half a minute',
      value: median(shares),
      atMost: 0.01,
    },
    { what: 'with the live page: lateness p99 (ms)', value: median(lateness), atMost: 2 },
  ];
}

interface Cost {
  /** CPU usage as a share of one core, after the start. */
  share: number;
  latenessMs: number;
}

async function runOnce(folder: string, watching: number): Promise<Cost> {
  const out = await mkdtemp(join(folder, 'live-'));
  const path = join(out, 'watched.mjs');
  await writeFile(path, scenario);
  const live = watching === 0 ? [] : ['--live'];
  const child = spawn(process.execPath, ['dist/cli/main.js', 'run', path, '--out', out, '--quiet', ...live], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    const address = /live page (\S+)\n/.exec(said)?.[1];
    if (address === undefined) return;
    said = '';
    for (let each = 0; each < watching; each++) void watch(address);
  });
  const looks: { atMs: number; cpuMs: number }[] = [];
  const looking = setInterval(() => {
    // Excludes child processes, one of which is the service.
    const used = ownUsageOf(child.pid ?? 0);
    if (used !== undefined) looks.push({ atMs: performance.now(), cpuMs: used.cpuMs });
  }, 1000);
  await once(child, 'close');
  clearInterval(looking);
  const name = readdirSync(out).find((file) => file.endsWith('.json')) ?? '';
  const { latency } = JSON.parse(readFileSync(join(out, name), 'utf8')) as Result;
  const [first, last] = [looks[startSeconds], looks.at(-endSeconds)];
  if (first === undefined || last === undefined) throw new Error(`the run was too short: ${said}`);
  return { share: (last.cpuMs - first.cpuMs) / (last.atMs - first.atMs), latenessMs: latency.lateness.p99Ms ?? NaN };
}

/** Reads everything sent to a viewer. */
async function watch(address: string): Promise<void> {
  const response = await fetch(`${address}events`);
  await response.text();
}
