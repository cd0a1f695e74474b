import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../src/result/result.ts';
import { releaseRun } from '../../test/support/release-run.ts';
import type { Finding } from '../finding.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Measures reading times: comparing two results of a soak, and searching a thousand results for changes. */
export function measureReading(folder: string, report: (text: string) => void): Finding[] {
  report('comparing two results of eight hours');
  const compared = compareSoaks(join(folder, 'soaks'));
  report('searching for changes in a thousand results');
  const looked = lookAtNights(join(folder, 'nights'));
  return [
    { what: 'compare of two results of 8 hours, the whole process', value: compared, unit: 's', atMost: 2 },
    { what: 'trend of 1,000 results of five minutes, the whole process', value: looked, unit: 's', atMost: 5 },
  ];
}

/** Compares two results with the maximum number of intervals, each 48 s at 60 turns/s. */
function compareSoaks(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const files = ['base', 'head'].map((id, index) => {
    const file = join(folder, `${id}.json`);
    write(file, releaseRun({ id, draw: index + 1, intervals: 600, turnsPerInterval: 2880 }));
    return file;
  });
  return secondsOf(['compare', ...files]);
}

/** Searches five runs on each of two hundred nights. */
function lookAtNights(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const drawn = [1, 2, 3, 4, 5].map((draw) => releaseRun({ id: 'any', draw, intervals: 300, turnsPerInterval: 100 }));
  for (let run = 0; run < 1000; run++) {
    const result = drawn[run % drawn.length];
    if (result === undefined) continue;
    const startedAt = new Date(Date.UTC(2026, 0, 1 + Math.floor(run / 5), 2, (run % 5) * 6)).toISOString();
    const facts = { ...result.run, id: String(run), startedAt, sitting: `night ${String(Math.floor(run / 5))}` };
    write(join(folder, `${String(run)}.json`), { ...result, run: facts });
  }
  return secondsOf(['trend', folder]);
}

const write = (file: string, result: Result): void => writeFileSync(file, `${JSON.stringify(result, null, 1)}\n`);

function secondsOf(words: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [command, ...words], { encoding: 'utf8' });
  if (status !== 0 && status !== 1) throw new Error(`chat-load ${words.join(' ')}: ${stderr}`);
  return (performance.now() - began) / 1000;
}
