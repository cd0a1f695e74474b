import { startEmbedded } from '../../src/reference-service/embedded.ts';
import { forkShard } from '../../src/edge/fleet/fork-shard.ts';
import type { FromShard, ShardJob } from '../../src/fleet/messages.ts';
import { shardJobs } from '../../src/app/run/play-load.ts';
import { peakScenario, resolvePeak } from './peak-fleet.ts';

/** All messages of one shard with their times, in milliseconds since its start; 0 before it. */
export interface Recording {
  shard: number;
  messages: { afterMs: number; message: FromShard }[];
}

/** Runs the first shards of a large run concurrently and records their messages. */
export async function recordShards(recorded: number, workers: number): Promise<Recording[]> {
  const resolved = await resolvePeak(workers);
  if (resolved.embedded === undefined) throw new Error('the peak scenario has an embedded service');
  const service = await startEmbedded(resolved.embedded);
  try {
    const load = { resolved, baseUrl: new URL(service.baseUrl), run: 'recorded', salt: 'a0a0a0a0' };
    const fleet = { count: workers, scenario: peakScenario, isElsewhere: false };
    const jobs = (await shardJobs(load, fleet)).slice(0, recorded);
    return await Promise.all(jobs.map((job) => record(job)));
  } finally {
    await service.close();
  }
}

function record(job: ShardJob): Promise<Recording> {
  const shard = forkShard();
  const said: Recording['messages'] = [];
  let at = Infinity;
  return new Promise((resolve, reject) => {
    shard.listen({
      received: (message) => {
        said.push({ afterMs: Math.max(0, machineNow() - at), message });
        if (message.kind === 'ready') shard.send({ kind: 'start', at: (at = machineNow() + leadMs) });
      },
      gone: (reason) =>
        said.at(-1)?.message.kind === 'ended'
          ? resolve({ shard: job.shard.index, messages: said })
          : reject(new Error(`a shard did not run to its end: ${reason}`)),
    });
    shard.send({ kind: 'play', job, folder: '.', allowHosts: [], trustsTarget: true });
  });
}

const leadMs = 300;

/** Returns the time of a clock shared by all processes of a machine, in fractional milliseconds. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
