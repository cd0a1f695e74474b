import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../src/result/result.ts';
import type { Finding } from './finding.ts';
import { chatLoad } from './generators.ts';
import { median } from './markdown.ts';
import type { Load } from './measure.ts';
import { compareSpeed } from './speed.ts';
import { plainTarget } from './with-target.ts';

interface GuardCost {
  folder: string;
  rounds: number;
  load: Load;
  report: (text: string) => void;
}

/**
 * Measures the cost of a turn with active integrity checks relative to a turn without checks, alternately against the
 * same target. A finding would end the run with exit code 1, and thus the measurement.
 */
export async function measureGuardCost({ folder, ...how }: GuardCost): Promise<Finding[]> {
  const [, speaking] = await compareSpeed({
    ours: chatLoad(folder, 'guard-off'),
    peers: [chatLoad(folder, 'guard-speak')],
    shape: plainTarget,
    ...how,
  });
  if (speaking?.failure !== undefined) throw new Error(`with the guard speaking: ${speaking.failure}`);
  const ratio = median((speaking?.ratios ?? []).map(({ cpuUsPerTurn }) => cpuUsPerTurn));
  const checks = lastResult(folder, 'guard-speak').integrity.checks;
  const recalled = checks.find(({ name }) => name === 'continuity')?.checked ?? 0;
  return [
    { what: 'CPU per turn, active guard over no guard', value: ratio, atMost: 1.3 },
    { what: 'replies to a request for the code, in the last round', value: recalled, atLeast: 1 },
  ];
}

function lastResult(folder: string, scenario: string): Result {
  const file = readdirSync(folder)
    .filter((name) => name.startsWith(`${scenario}-`))
    .sort()
    .at(-1);
  return JSON.parse(readFileSync(join(folder, file ?? ''), 'utf8')) as Result;
}
