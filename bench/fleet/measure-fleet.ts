import type { Finding } from '../finding.ts';
import type { Load } from '../measure.ts';
import { measureCoordinatorShare } from './coordinator-share.ts';
import { measureDeadWorker } from './dead-worker.ts';
import { measureFleetCost } from './fleet-cost.ts';
import { measureManyWorkers } from './thousand-workers.ts';
import { hasRedis } from './redis.ts';
import { measureStartSkew } from './start-skew.ts';
import { measureWideFleet } from './wide-fleet.ts';

interface FleetBench {
  folder: string;
  rounds: number;
  load: Load;
  report: (text: string) => void;
}

/** Conditions of the figures. */
export const fleetConditions =
  'Everything is on one machine. For the 1,000 workers, ten shards of `scenarios/peak.ts` were run against the embedded ' +
  'service, and every message was recorded with its instant; the workers are real except for the process of the shard (job, ' +
  'connections, clock, outbox and heartbeats are real; 250 workers share a process), which repeats the recorded messages with its own session ' +
  'numbers. Coordinator (`run --fleet --shards 1000`, with its journal), Redis and network are real. A shard keeps an ' +
  'interval open for one second, for late reports; the age of a merged interval includes that second.';

/** Measures the cost of distributed runs, the accuracy of their start, and the detection time of losses. */
export async function measureFleet({ folder, rounds, load, report }: FleetBench): Promise<Finding[]> {
  if (!hasRedis)
    report('Nothing through Redis is measured: redis-server is not installed (apt-get install redis-server).');
  const parts: readonly (() => Promise<Finding[]>)[] = [
    ...(hasRedis ? [() => measureManyWorkers({ folder, workers: 1000, report })] : []),
    () => measureWideFleet({ folder }),
    () => measureFleetCost({ folder, rounds, load, report }),
    () => measureCoordinatorShare({ folder }),
    () => measureStartSkew({ folder, runs: 20, report }),
    () => measureDeadWorker({ folder, times: 3, report }),
  ];
  const findings: Finding[] = [];
  for (const measure of parts) {
    findings.push(...(await measure()));
    for (const { what, value } of findings.slice(-3)) report(`${what}: ${value.toFixed(2)}`);
  }
  return findings;
}
