import type { Redis } from 'ioredis';
import type { ShardJob } from '../../../fleet/shard-job.ts';
import { jobIdOf, queueName } from './fleet-keys.ts';
import { loadQueue } from './redis-packages.ts';

/** The jobs of a run, as long as nobody has taken them. */
export interface OfferedJobs {
  withdraw(): Promise<void>;
}

/** Offers a job for every shard, to one worker each and once. */
export async function openJobs(redis: Redis, prefix: string, jobs: readonly ShardJob[]): Promise<OfferedJobs> {
  const { Queue } = await loadQueue();
  const queue = new Queue<ShardJob>(queueName, {
    connection: redis,
    prefix,
    streams: { events: { maxLen: keptEvents } },
  });
  queue.on('error', () => undefined);
  await queue.addBulk(
    jobs.map((data) => ({
      name: 'shard',
      data,
      opts: { jobId: jobIdOf(data.run, data.shard.index), attempts: 1, removeOnComplete: true, removeOnFail: true },
    })),
  );
  return {
    withdraw: async () => {
      // One that a worker has taken is locked, and goes when that worker has finished with it.
      await Promise.all(jobs.map(({ run, shard }) => queue.remove(jobIdOf(run, shard.index)).catch(() => 0)));
      await queue.close();
    },
  };
}

/** BullMQ notes what happens to jobs in a stream, which nobody here reads. */
const keptEvents = 100;
