import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomOf } from '../../src/base/random.ts';
import type { Result } from '../../src/result/result.ts';
import type { Finding } from '../finding.ts';
import { startPinned } from '../pinned.ts';
import { ownUsageOf } from '../process-tree.ts';
import { plainTarget, withTarget } from '../with-target.ts';

interface ReplayBench {
  folder: string;
  /** Number of requests in the trace, each a session. */
  rows: number;
  /** Replayed duration in seconds, at 1,000 sessions/s. */
  seconds: number;
}

const sessionsPerSecond = 1000;
const mebibyte = 1024 * 1024;

/** Measures the cost of replaying a long trace relative to the same load without a trace, and the lateness of session starts. */
export async function measureReplay({ folder, rows, seconds }: ReplayBench): Promise<Finding[]> {
  const trace = join(folder, 'trace.csv');
  await writeTrace(trace, rows);
  return withTarget(plainTarget, async ({ baseUrl }) => {
    const [first, again] = [await plan(folder, trace), await plan(folder, trace)];
    const run = (load: object): Promise<Played> => play({ folder, baseUrl, load, seconds });
    const replayed = await run({ trace, for: `${String(seconds)}s` });
    const without = await run({ sessionsPerSecond, arrivals: 'poisson' });
    const what = `${rows.toLocaleString('en')} requests`;
    return [
      { what: `a trace of ${what}, first opening: seconds`, value: first / 1000, atMost: 60 },
      { what: 'the trace opened again', value: again / 1000, atMost: 5 },
      {
        what: `${String(seconds)} s of replay at 1,000 sessions/s: additional peak memory compared with the same load without a trace (MiB)`,
        value: (replayed.peakBytes - without.peakBytes) / mebibyte,
        atMost: 50,
      },
      { what: 'the replay: session lateness p99 (ms)', value: replayed.latenessMs, atMost: 5 },
      { what: 'without a trace: session lateness p99 (ms)', value: without.latenessMs, atMost: 5 },
    ];
  });
}

/** Writes a trace like BurstGPT's, with Poisson arrivals. */
async function writeTrace(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n');
  const random = randomOf(1);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    at -= Math.log(1 - random()) / sessionsPerSecond;
    const tokens = Math.ceil(random() * 400);
    const line = `${at.toFixed(6)},ChatGPT,${String(tokens)},20,${String(tokens + 20)},API log\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

/** Returns the duration of `plan` for a trace, in milliseconds. */
async function plan(folder: string, trace: string): Promise<number> {
  const scenario = join(folder, 'planned.mjs');
  await writeFile(scenario, `export default { name: 'planned', load: { trace: '${trace}' } };\n`);
  const startedAt = performance.now();
  const child = startPinned('generator', [process.execPath, 'dist/cli/main.js', 'plan', scenario], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'close');
  return performance.now() - startedAt;
}

interface Played {
  peakBytes: number;
  latenessMs: number;
}

interface Playing {
  folder: string;
  baseUrl: string;
  load: object;
  seconds: number;
}

async function play({ folder, baseUrl, load, seconds }: Playing): Promise<Played> {
  const out = await mkdtemp(join(folder, 'replay-'));
  const scenario = join(out, 'replay.mjs');
  const target = { baseUrl, agentId: 'agent', apiKey: 'key' };
  const words = "messages: ({ session }) => 'word '.repeat(1 + ((session.number * 37) % 300))";
  const own = 'trace' in load ? '' : `, duration: '${String(seconds)}s', turns: 1, ${words}`;
  await writeFile(
    scenario,
    `export default { name: 'replay', load: ${JSON.stringify(load)}, target: ${JSON.stringify(target)}${own} };\n`,
  );
  const child = startPinned(
    'generator',
    [process.execPath, 'dist/cli/main.js', 'run', scenario, '--out', out, '--quiet'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  let peakBytes = 0;
  const looking = setInterval(() => {
    peakBytes = Math.max(peakBytes, ownUsageOf(child.pid ?? 0)?.peakBytes ?? 0);
  }, 250);
  await once(child, 'close');
  clearInterval(looking);
  const name = readdirSync(out).find((file) => file.endsWith('.json')) ?? '';
  const { latency } = JSON.parse(readFileSync(join(out, name), 'utf8')) as Result;
  return { peakBytes, latenessMs: latency.sessionLateness.p99Ms ?? NaN };
}
