import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ProbeDocument } from '../src/probe/build-probe.ts';
import type { Finding } from './finding.ts';
import type { Generator } from './generators.ts';
import { measure, type Load } from './measure.ts';
import { plainTarget, withTarget } from './with-target.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Compares the figures of `chat-load probe` for this generator with the figures of the bench. */
export async function measureAgreement(ours: Generator, load: Load): Promise<Finding[]> {
  const costs: number[] = [];
  const ask = (): Promise<void> =>
    withTarget(plainTarget, async (target) => void costs.push((await measure(ours, target, load)).cpuUsPerTurn));
  await ask();
  const { stdout } = await run(process.execPath, [main, 'probe', '--json'], { maxBuffer: 1 << 26 });
  await ask();
  const probe = JSON.parse(stdout) as ProbeDocument;
  const byBench = 1e6 / (costs.reduce((sum, each) => sum + each) / costs.length);
  const byProbe = probe.generator?.turnsPerSecond ?? NaN;
  const named = [probe.limit].filter((side) => side === 'target' || side === 'generator');
  return [
    { what: 'turns/s of a core, by the probe', value: Math.round(byProbe) },
    { what: 'turns/s of a core, by the bench', value: Math.round(byBench) },
    { what: 'probe over bench', value: byProbe / byBench, atLeast: 0.85, atMost: 1.15 },
    { what: `limiting sides named for the embedded service: ${named.join(', ')}`, value: named.length, atLeast: 1 },
  ];
}
