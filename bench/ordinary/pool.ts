import type { RunOfSide } from '../../src/compare/document/side.ts';
import type { Result } from '../../src/result/result.ts';
import { runCommand, type Releases } from './releases.ts';

/** Short runs of two releases, measured alternately: run i of both sides is a pair. */
export interface Pool {
  base: readonly RunOfSide[];
  head: readonly RunOfSide[];
}

interface PoolOptions {
  releases: Releases;
  scenario: string;
  folder: string;
  /** Number of runs per side. */
  runs: number;
  report: (text: string) => void;
}

/** Measures a pool in the order ABBA. Throws if a run has no result. */
export async function measurePool({ releases, runs, report, ...place }: PoolOptions): Promise<Pool> {
  const pool = { base: [] as RunOfSide[], head: [] as RunOfSide[] };
  for (let pair = 1; pair <= runs; pair++) {
    for (const side of pair % 2 === 1 ? (['base', 'head'] as const) : (['head', 'base'] as const))
      pool[side].push({ file: null, result: await measureRun(releases[side], { ...place, seed: pair }) });
    if (pair % 10 === 0) report(`${String(pair)} of ${String(runs)} runs per side`);
  }
  return pool;
}

async function measureRun(
  url: string,
  { scenario, folder, seed }: Pick<PoolOptions, 'scenario' | 'folder'> & { seed: number },
): Promise<Result> {
  const words = ['run', scenario, '--base-url', url, '--seed', String(seed), '--json', '--quiet', '--out', folder];
  const { output } = await runCommand(words, folder);
  if (output === '') throw new Error('the command printed no result');
  return JSON.parse(output) as Result;
}
