import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CalibrationDocument } from '../src/calibrate/calibration-document.ts';
import type { Finding } from './finding.ts';
import type { Generator } from './generators.ts';
import { measure, type Load } from './measure.ts';
import { plainTarget, withTarget } from './with-target.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Compares the maximum rate that `chat-load calibrate` measures for this machine with the figures of the bench. */
export async function measureAgreement(ours: Generator, load: Load): Promise<Finding[]> {
  const costs: number[] = [];
  const ask = (): Promise<void> =>
    withTarget(plainTarget, async (target) => void costs.push((await measure(ours, target, load)).cpuUsPerTurn));
  await ask();
  const env = { ...process.env, CHAT_LOAD_CACHE: await mkdtemp(join(tmpdir(), 'calibration-')) };
  const { stdout } = await run(process.execPath, [main, 'calibrate', '--json'], { maxBuffer: 1 << 26, env });
  await ask();
  const byBench = 1e6 / (costs.reduce((sum, each) => sum + each) / costs.length);
  const calibrated = (JSON.parse(stdout) as CalibrationDocument).sends.turnsPerSecond;
  return [
    { what: 'turns/s of a core, by the calibration', value: Math.round(calibrated) },
    { what: 'turns/s of a core, by the bench', value: Math.round(byBench) },
    { what: 'calibration over bench', value: calibrated / byBench, atLeast: 0.85, atMost: 1.15 },
  ];
}
