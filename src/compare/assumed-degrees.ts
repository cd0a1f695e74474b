import type { Result } from '../result/result.ts';
import { resultsOf, type Sides } from './document/side.ts';
import { assumedDegreesApart } from './statistics/estimate-change.ts';

const dayMs = 86_400_000;

/**
 * Returns the degrees of freedom of the assumed noise: infinite, because it counts as known, if all runs started within 24
 * hours on one machine (shards: on the same machines); otherwise 8.
 */
export function assumedDegreesOf(sides: Sides): number {
  const results = resultsOf(sides);
  const starts = results.map(({ run }) => Date.parse(run.startedAt));
  const machines = new Set(results.map(machineOf));
  const isOneDay = Math.max(...starts) - Math.min(...starts) <= dayMs;
  return isOneDay && machines.size === 1 && !machines.has(null) ? Infinity : assumedDegreesApart;
}

/** Returns the names of the machines that sent the load; `null` if they are unknown. */
function machineOf({ environment }: Result): string | null {
  if (environment === null) return null;
  const hosts = (environment.workers ?? [environment]).map(({ host }) => host);
  return JSON.stringify([...new Set(hosts)].toSorted());
}
