import { coordinate, type CoordinatedOutcome, type FleetJournal } from '../../coordinate.ts';
import { proxyUrl } from '../../base/proxy-server.ts';
import { systemClock } from '../../edge/clock.ts';
import { readScenarioDigest } from '../../edge/disk/scenario/scenario-digest.ts';
import { leadOf } from '../../fleet/coordinator.ts';
import { sampleDigest } from '../../plan/sample-digest.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import type { PartitionTotals } from '../../record/partition-totals.ts';
import type { GeneratorAccount, JournalHeader } from '../../result/journal/journal.ts';
import { describeFleet } from '../../result/sections/describe-fleet.ts';
import type { Worker } from '../../result/sections/worker.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { RunEffects } from '../../run.ts';
import type { Fleet } from './ports.ts';
import { shardJobs } from './shard-jobs.ts';

/** What a run of several shards is coordinated with. */
interface Coordinating extends Pick<RunEffects, 'drain' | 'cut' | 'strayFailed'> {
  baseUrl: URL;
  note: (text: string) => void;
  warn: (warning: Warning) => void;
  /** All shards are ready. */
  openJournal: (header: JournalHeader, accountNow: () => GeneratorAccount) => Promise<FleetJournal>;
  watch: (underWay: { live: () => Live; totals: () => PartitionTotals[] }) => void;
}

export interface CoordinatedRun {
  outcome: CoordinatedOutcome;
  header: JournalHeader;
}

/** Has the shards of a run played by a fleet. */
export async function coordinateRun(
  { plan, script, proxy }: Settled,
  { fleet, header }: { fleet: Fleet; header: JournalHeader },
  { baseUrl, openJournal, watch, ...effects }: Coordinating,
): Promise<CoordinatedRun> {
  const sample = fleet.isElsewhere ? await sampleDigest(script) : null;
  const scenarioDigest = fleet.isElsewhere ? readScenarioDigest(fleet.scenario) : null;
  const environment = proxy === undefined ? {} : { CHAT_LOAD_PROXY: proxyUrl(proxy) };
  const jobs = shardJobs(fleet, { run: header.run.id, plan, baseUrl, sample, scenarioDigest });
  const shards = await fleet.open(jobs, environment);
  let begun = header;
  try {
    const outcome = await coordinate(plan, {
      ...effects,
      shards,
      clock: systemClock,
      readyWithinMs: fleet.readyWithinMs,
      ready: (workers, accountNow) => {
        begun = startingNow(header, fleet.count);
        return openJournal(withWorkers(begun, workers.map(uncounted)), accountNow);
      },
      watch: (recorder) => watch({ live: () => recorder.live(systemClock.now()), totals: () => recorder.totals() }),
    });
    return { outcome, header: withWorkers(begun, outcome.workers) };
  } finally {
    await shards.close();
  }
}

/** It starts when all shards are ready, not when the first was waited for. */
const startingNow = (header: JournalHeader, shards: number): JournalHeader => ({
  ...header,
  run: { ...header.run, startedAt: new Date(Date.now() + leadOf(shards)).toISOString() },
});

/** The reading of one generator says nothing of several. */
const withWorkers = (header: JournalHeader, workers: readonly Worker[]): JournalHeader => ({
  ...header,
  environment: header.environment && describeFleet(header.environment, workers),
  calibration: null,
});

/** What a journal says of a worker whose run may die. */
const uncounted = (worker: Worker): Worker => ({ ...worker, sessionsStarted: null, turnsFinished: null });
