import { loadScenario } from '../../src/edge/disk/scenario/load-scenario.ts';
import { settle, type Settled } from '../../src/plan/settle.ts';

/** The scenario of the simulated fleet, below the folder that commands are started in. */
export const peakScenario = 'scenarios/peak.ts';

/** The peak scenario with as many sessions for each of so many workers as it has for one process: all as busy as that one. */
export function peakFlags(workers: number): { sessions: number; concurrency: number } {
  return { sessions: 400 * workers, concurrency: 50 * workers };
}

export async function settlePeak(workers: number): Promise<Settled> {
  return settle(await loadScenario(peakScenario), { flags: peakFlags(workers), environment: {} });
}
