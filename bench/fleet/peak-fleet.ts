import { loadScenario } from '../../src/edge/disk/scenario/load-scenario.ts';
import { resolveScenario, type ResolvedScenario } from '../../src/plan/resolve-scenario.ts';

/** Scenario of the simulated fleet, relative to the working directory. */
export const peakScenario = 'scenarios/peak.ts';

/** Returns the flags of the peak scenario with its number of sessions per worker. */
export function peakFlags(workers: number): { sessions: number; concurrency: number } {
  return { sessions: 400 * workers, concurrency: 50 * workers };
}

export async function resolvePeak(workers: number): Promise<ResolvedScenario> {
  return resolveScenario(await loadScenario(peakScenario), { flags: peakFlags(workers), environment: {} });
}
