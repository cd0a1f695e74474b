import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { loadScenario } from '../../src/edge/disk/scenario/load-scenario.ts';
import { startEmbedded, type EmbeddedService } from '../../src/reference-service/embedded.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Finding } from '../finding.ts';
import { childrenOf, ownUsageOf } from '../process-tree.ts';
import { resultIn, runWords, startCommand } from './start-command.ts';

const scenario = 'bench/scenarios/wide.ts';
const shards = 2;
const lookMs = 100;
const MB = 1e6;

/** Runs 20,000 turns in flight over two shards against a service of two processes, because one has too few descriptors. */
export async function measureWideFleet({ folder }: { folder: string }): Promise<Finding[]> {
  const { embedded } = resolveScenario(await loadScenario(scenario), { flags: {}, environment: {} });
  if (embedded === undefined) throw new Error('the scenario has an embedded service');
  const service = await startEmbedded(embedded, { cores: shards });
  try {
    const out = mkdtempSync(join(folder, 'wide-'));
    const { maxInFlight, peakBytes } = await watchRun(service, out);
    const { outcomes, environment } = resultIn(out);
    const lost = environment?.workers?.filter((worker) => worker.lost !== null) ?? [];
    const turns = Object.values(outcomes.turns).reduce((sum, count) => sum + count, 0);
    return [
      {
        what: 'concurrent turns in flight over two shards, counted by the service',
        value: maxInFlight,
        atLeast: 20_000,
      },
      { what: 'resident memory of the larger shard', value: peakBytes / MB, unit: 'MB', atMost: 250 },
      { what: 'lost shards', value: lost.length, atMost: 0 },
      { what: 'turns of the other shards that were not ok', value: turns - outcomes.turns.ok, atMost: 0 },
    ];
  } finally {
    await service.close();
  }
}

async function watchRun(service: EmbeddedService, out: string): Promise<{ maxInFlight: number; peakBytes: number }> {
  const max = { maxInFlight: 0, peakBytes: 0 };
  const run = startCommand([...runWords(scenario, { out, baseUrl: service.baseUrl }), ...['--cores', String(shards)]]);
  const look = async (): Promise<void> => {
    const bytes = livingChildren(run.pid).map((pid) => ownUsageOf(pid)?.peakBytes ?? 0);
    max.peakBytes = Math.max(max.peakBytes, ...bytes);
    max.maxInFlight = Math.max(max.maxInFlight, (await service.stats()).queue.busy);
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lookMs);
  await run.ended.finally(() => clearInterval(timer));
  await looking;
  return max;
}

function livingChildren(pid: number): number[] {
  try {
    return childrenOf(pid);
  } catch {
    // The process has just ended.
    return [];
  }
}
