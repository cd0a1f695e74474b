import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Result } from '../src/result/result.ts';
import type { Finding } from './finding.ts';
import { startPinned } from './pinned.ts';
import { usageOf } from './process-tree.ts';
import { plainTarget, withTarget, type Target } from './with-target.ts';

/** Measures the widest and the longest runs, and the memory of the generator's process as reported by the system. */
export async function measureBreadth(resultFolder: string): Promise<Finding[]> {
  return [
    await tenThousandInFlight(resultFolder),
    await hundredThousandThinking(resultFolder),
    await threeMillionTurns(resultFolder),
  ].flat();
}

const MB = 1e6;

async function tenThousandInFlight(out: string): Promise<Finding[]> {
  return withTarget({ ...plainTarget, delayMs: 1000 }, async (target) => {
    const { peakBytes, result } = await play('in-flight', target, { out });
    const { maxInFlight } = await target.counts();
    return [
      claim('concurrent turns in flight, counted by the target', maxInFlight, { atLeast: 10_000 }),
      claim('resident memory with 10,000 sessions in flight', peakBytes / MB, { atMost: 250, unit: 'MB' }),
      allOk(result),
    ];
  });
}

async function hundredThousandThinking(out: string): Promise<Finding[]> {
  return withTarget(plainTarget, async (target) => {
    const { peakBytes, result } = await play('thinking', target, { out });
    return [
      claim('concurrent sessions', result.concurrency.sessions.max, { atLeast: 100_000 }),
      claim('resident memory with 100,000 thinking sessions', peakBytes / MB, { atMost: 500, unit: 'MB' }),
      allOk(result),
    ];
  });
}

/** Compares the heap after a collection at 100,000 turns and at 3 million. */
async function threeMillionTurns(out: string): Promise<Finding[]> {
  return withTarget(plainTarget, async (target) => {
    const heaps: number[] = [];
    const { result } = await play('million', target, {
      out,
      meanwhile: async (heapNow) => {
        for (const turns of [100_000, 3_000_000]) {
          while ((await target.counts()).turns < turns) await pass(5);
          heaps.push(await heapNow());
        }
      },
    });
    const [early = 0, late = 0] = heaps;
    return [
      claim('heap after 100,000 turns', early / MB, { unit: 'MB' }),
      claim('heap growth from there to 3 million turns', (late - early) / MB, { atMost: 10, unit: 'MB' }),
      allOk(result),
    ];
  });
}

interface Play {
  out: string;
  /** Observes the heap during the run. */
  meanwhile?: (heapNow: () => Promise<number>) => Promise<void>;
}

async function play(
  scenario: string,
  target: Target,
  { out, meanwhile }: Play,
): Promise<{ peakBytes: number; result: Result }> {
  const path = (name: string): string => join(fileURLToPath(new URL('.', import.meta.url)), name);
  const watching = meanwhile === undefined ? [] : ['--expose-gc', '--import', path('heap-on-signal.js')];
  const child = startPinned(
    'generator',
    [
      ...([
        process.execPath,
        ...watching,
        path('../dist/cli/main.js'),
        'run',
        path(`scenarios/${scenario}.ts`),
      ] as const),
      ...['--base-url', target.baseUrl, '--out', out, '--label', 'bench', '--quiet'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, CHAT_LOAD_API_KEY: 'bench-key' } },
  );
  let peakBytes = 0;
  const timer = setInterval(() => (peakBytes = Math.max(peakBytes, usageOf(child.pid ?? 0)?.peakBytes ?? 0)), 50);
  const heapNow = async (): Promise<number> => {
    child.kill('SIGUSR2');
    const [line] = (await once(child.stderr ?? child, 'data')) as [Buffer];
    return Number(/heap (\d+)/.exec(line.toString())?.[1]);
  };
  const ended = once(child, 'exit');
  try {
    await Promise.race([meanwhile?.(heapNow), ended]);
    const [code] = (await ended) as [number];
    if (code !== 0 && code !== 4) throw new Error(`${scenario} ended with ${String(code)}`);
  } finally {
    clearInterval(timer);
    child.kill();
  }
  const file = readdirSync(out)
    .filter((name) => name.startsWith(`${scenario}-`))
    .sort()
    .at(-1);
  return { peakBytes, result: JSON.parse(readFileSync(join(out, file ?? ''), 'utf8')) as Result };
}

const claim = (what: string, value: number, limits: Omit<Finding, 'what' | 'value'>): Finding => ({
  what,
  value,
  ...limits,
});

const allOk = ({ scenario, outcomes }: Result): Finding => ({
  what: `turns of scenario ${scenario.name} that were not ok`,
  value: Object.entries(outcomes.turns).reduce((sum, [name, count]) => (name === 'ok' ? sum : sum + count), 0),
  atMost: 0,
});
