import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Result } from '../src/result/result.ts';
import type { Finding } from './finding.ts';
import { median } from './markdown.ts';
import { startPinned } from './pinned.ts';
import { plainTarget, withTarget, type Target } from './with-target.ts';

const turnsInAll = 5_000_000;
const lookMs = 250;

/** Compares the resources of the generator's process at the end of a long run with those after its first tenth, as reported by the system. */
export async function measureSoak(resultFolder: string): Promise<Finding[]> {
  return withTarget(plainTarget, async (target) => {
    const looks = await soak(target, resultFolder);
    const [early, late] = [between(looks, 0.1, 0.15), between(looks, 0.95, 1)];
    const { bytes, result } = newest(resultFolder);
    const notOk = Object.entries(result.outcomes.turns).reduce(
      (sum, [name, of]) => (name === 'ok' ? sum : sum + of),
      0,
    );
    return [
      { what: 'turns of the soak', value: result.outcomes.turns.ok, atLeast: turnsInAll },
      { what: 'turns that were not ok', value: notOk, atMost: 0 },
      { what: 'resident after a tenth', value: early.bytes / MB, unit: 'MB' },
      ...[0.25, 0.5, 0.75].map((part) => ({
        what: `resident after ${String(part * 100)} %`,
        value: between(looks, part, part + 0.05).bytes / MB,
        unit: 'MB',
      })),
      { what: 'growth from there to the end', value: (late.bytes - early.bytes) / MB, atMost: 10, unit: 'MB' },
      { what: 'descriptors gained', value: late.descriptors - early.descriptors, atMost: 0 },
      { what: 'intervals in the result', value: result.intervals.length, atMost: 601 },
      { what: 'size of the result', value: bytes / MB, atMost: 40, unit: 'MB' },
    ];
  });
}

const MB = 1e6;

interface Look {
  turns: number;
  bytes: number;
  descriptors: number;
}

/** Runs the scenario and samples its process. */
async function soak(target: Target, out: string): Promise<Look[]> {
  const path = (name: string): string => join(fileURLToPath(new URL('.', import.meta.url)), name);
  const child = startPinned(
    'generator',
    [
      ...([process.execPath, path('../dist/cli/main.js'), 'run', path('scenarios/soak.ts')] as const),
      ...['--base-url', target.baseUrl, '--out', out, '--label', 'bench', '--quiet'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, CHAT_LOAD_API_KEY: 'bench-key' } },
  );
  const looks: Look[] = [];
  const ended = once(child, 'exit');
  try {
    while (child.exitCode === null) {
      const { turns } = await target.counts();
      const held = heldBy(child.pid ?? 0);
      if (held !== undefined) looks.push({ turns, ...held });
      await Promise.race([pass(lookMs), ended]);
    }
  } finally {
    child.kill();
  }
  const [code] = (await ended) as [number | null];
  if (code !== 0 && code !== 4) throw new Error(`the soak ended with ${String(code)}`);
  return looks;
}

/** Returns memory and descriptors of a process; undefined if it has ended. */
function heldBy(pid: number): Pick<Look, 'bytes' | 'descriptors'> | undefined {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    const bytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    return Number.isNaN(bytes) ? undefined : { bytes, descriptors: readdirSync(`/proc/${String(pid)}/fd`).length };
  } catch {
    return undefined;
  }
}

/** Returns the median of the samples between two points of progress, because memory varies with every collection. */
function between(looks: readonly Look[], from: number, to: number): Omit<Look, 'turns'> {
  // Building the result after the last turn does not belong to the load.
  const inside = looks.filter(({ turns }) => turns >= from * turnsInAll && turns < to * turnsInAll);
  return {
    bytes: median(inside.map(({ bytes }) => bytes)),
    descriptors: median(inside.map(({ descriptors }) => descriptors)),
  };
}

function newest(folder: string): { bytes: number; result: Result } {
  const name = readdirSync(folder)
    .filter((each) => each.startsWith('soak-') && each.endsWith('.json'))
    .sort()
    .at(-1);
  const file = join(folder, name ?? '');
  return { bytes: statSync(file).size, result: JSON.parse(readFileSync(file, 'utf8')) as Result };
}
