import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Capacity } from '../../src/features/capacity/document/capacity.ts';
import type { Finding } from '../finding.ts';
import { startPinned } from '../pinned.ts';
import { withTarget } from '../with-target.ts';

interface KnownKnee {
  what: string;
  /** Command-line flags of the target. */
  target: readonly string[];
  /** Command-line flags of the search. */
  asked: readonly string[];
  /** Load at which the objective breaks, by the formula stated above. */
  truth: number;
}

const program = fileURLToPath(new URL('knee-target.ts', import.meta.url));

/**
 * Sessions of four turns without think time. M/M/10, 50 ms, closed: 200 turns/s with all slots taken, so that a turn of
 * N sessions takes N / 200 s on average (mean value analysis: 124.9 ms at 25). Open: by M/M/c 5 % of the turns take 200
 * ms or more at 176.25 turns/s. The bucket refuses 1 % of Poisson sessions near the rate at which it is filled (by
 * simulation).
 */
const known: readonly KnownKnee[] = [
  {
    what: '10 places of 50 ms (exponential), closed: turn.mean < 125 ms',
    target: ['--places', '10'],
    asked: ['--objective', 'turn.mean < 125ms', '--min', '4', '--max', '200'],
    truth: 25.0,
  },
  {
    what: '10 places of 50 ms (exponential), open: turn.p95 < 200 ms',
    target: ['--places', '10'],
    asked: ['--by', 'rate', '--objective', 'turn.p95 < 200ms', '--min', '5', '--max', '400', '--max-step', '2m'],
    truth: 176.25 / 4,
  },
  {
    what: '120 turns a second and a burst of 60, refused beyond, open: turns.failedShare < 1 %',
    target: ['--perSecond', '120', '--burst', '60'],
    asked: ['--by', 'rate', '--objective', 'turns.failedShare < 1%', '--min', '5', '--max', '400', '--max-step', '2m'],
    truth: 29.3,
  },
];

/** Runs searches over real sockets with known limits. */
export async function measureSockets({
  folder,
  report,
}: {
  folder: string;
  report: (text: string) => void;
}): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { what, target, asked, truth } of known) {
    const found = await withTarget({ program: [program, ...target] }, ({ baseUrl }) => search(folder, baseUrl, asked));
    const { outcome, holds, broken, elapsedMs, spent } = found;
    const [low, high] = [holds?.load ?? 0, broken?.load ?? Infinity];
    report(
      `${what}: ${outcome}, ${String(low)} to ${String(high)}, truth ${String(truth)}, ${(elapsedMs / 60_000).toFixed(1)} min`,
    );
    findings.push(
      { what: `${what}: holds at`, value: low, atMost: truth },
      { what: '— broken at', value: high, atLeast: truth, atMost: 1.1 * low + 0.001 },
      { what: '— minutes', value: elapsedMs / 60_000 },
      { what: '— turns', value: spent.turns },
    );
  }
  return findings;
}

async function search(folder: string, baseUrl: string, asked: readonly string[]): Promise<Capacity> {
  const out = await mkdtemp(join(folder, 'search-'));
  const scenario = join(out, 'knee.mjs');
  const target = { baseUrl, agentId: 'agent', apiKey: 'key' };
  await writeFile(
    scenario,
    `export default { name: 'knee', sessions: 1, turns: 4, retry: 'none', integrity: false, messages: ['Hi.'], target: ${JSON.stringify(target)} };\n`,
  );
  const command = ['dist/cli/main.js', 'capacity', scenario, '--out', join(out, 'results'), '--quiet', ...asked];
  const child = startPinned('generator', [process.execPath, ...command], { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
  const [name = ''] = readdirSync(join(out, 'results'));
  return JSON.parse(readFileSync(join(out, 'results', name), 'utf8')) as Capacity;
}
