import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Against } from './draw.ts';
import { runCommand, type Releases } from './releases.ts';

/** Ways to compare two releases with their defaults. */
export const ways = ['ab', 'nightly', 'repeat'] as const;
export type Way = (typeof ways)[number];

interface Trial {
  releases: Releases;
  scenario: string;
  folder: string;
}

/** Result of a live trial: the last line of the command, and its duration. */
interface Ended {
  line: string;
  minutes: number;
}

/** Compares two releases with the built command, as documented. */
export async function tryLive(
  way: Way,
  against: Against,
  { releases, scenario, folder: parent }: Trial,
): Promise<Ended> {
  const folder = await mkdtemp(join(parent, 'trial-'));
  const head = against === 'itself' ? releases.base : releases.head;
  const both = ['--base', releases.base, '--head', head];
  const startedAt = performance.now();
  const perform = async (...words: string[]): Promise<string> => (await runCommand(words, folder)).output;
  const output = await {
    ab: () => perform('ab', scenario, ...both),
    nightly: () => perform('nightly', scenario, ...both),
    repeat: async () => {
      for (const [label, url] of [
        ['v1', releases.base],
        ['v2', head],
      ] as const)
        await perform('run', scenario, '--base-url', url, '--repeat', '5', '--label', label);
      return perform('compare', 'label:v1', 'label:v2');
    },
  }[way]();
  return { line: output.trimEnd().split('\n').at(-1) ?? '', minutes: (performance.now() - startedAt) / 60_000 };
}

/** Reports whether a last line states a regression. */
export function isRegressed(line: string): boolean {
  return line.startsWith('FAILED: regressed');
}

/** Reports whether a last line raises no alarm. */
export function isQuiet(line: string): boolean {
  return line.startsWith('PASSED') || line.startsWith('INCONCLUSIVE');
}
