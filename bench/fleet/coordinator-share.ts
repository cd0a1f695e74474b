import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import type { Finding } from '../finding.ts';
import { ownUsageOf } from '../process-tree.ts';
import { withGreetedService } from './greeted-service.ts';
import { inBothPlaces } from './places.ts';
import { runWords, startCommand } from './start-command.ts';
import { steadyScenario } from './steady-scenario.ts';

const shards = 10;
/** Warm-up until code is compiled, and length of the measured window. */
const [settleMs, windowMs] = [15_000, 20_000];

/** Measures the CPU time of the coordinator's process while ten shards run a small load each. */
export function measureCoordinatorShare({ folder }: { folder: string }): Promise<Finding[]> {
  return withGreetedService((service) =>
    inBothPlaces(folder, async (place) => {
      await place.startWorkers(1, shards);
      service.forget();
      const out = mkdtempSync(join(folder, 'share-'));
      const run = startCommand([
        ...runWords(steadyScenario, { out, baseUrl: service.baseUrl }),
        ...['--concurrency', String(5 * shards), '--duration', `${String((settleMs + windowMs) / 1000 + 2)}s`],
        ...place.flags(shards),
      ]);
      await Promise.race([service.allHeard(shards), run.ended]);
      await pass(settleMs);
      const before = cpuOf(run.pid);
      await pass(windowMs);
      const value = ((cpuOf(run.pid) - before) / windowMs) * 100;
      await run.ended;
      return [{ what: `the coordinator of ten shards ${place.name}: share of a core`, value, unit: '%', atMost: 2 }];
    }),
  );
}

function cpuOf(pid: number): number {
  const used = ownUsageOf(pid);
  if (used === undefined) throw new Error('the run was over too soon');
  return used.cpuMs;
}
