import { connectRedis, withinMs, loadQueue, type RedisAddress } from './connect-redis.ts';
import { queueName, jobIdOf } from './wire.ts';
import type { Redis } from 'ioredis';
import type { ShardJob } from '../../../fleet/messages.ts';

export interface JobTaking {
  /** Takes no new job; those taken go on. */
  takeNoMore(): void;
  /** Those taken are over. */
  close(): Promise<void>;
}

/** How jobs are taken. */
export interface JobTakingOptions {
  prefix: string;
  /** Jobs at once. */
  max: number;
  /** Plays what a job asks for; unjudged, since it comes over the wire. Never rejects. */
  play: (job: unknown) => Promise<void>;
  note: (text: string) => void;
  /** How long a job stays taken by a worker that says nothing; half a minute unless given. Milliseconds. */
  lockMs?: number;
}

/**
 * Takes jobs from the queue as they come. A job is given to one worker, once: where that dies, its lock runs out and the
 * job has failed.
 */
export async function takeJobs(
  address: RedisAddress,
  { prefix, max, play, note, lockMs = 30_000 }: JobTakingOptions,
): Promise<JobTaking> {
  const { Worker } = await loadQueue();
  const redis = await connectRedis(address, ofBullmq);
  const worker = new Worker<unknown>(queueName, ({ data }) => play(data), {
    connection: redis,
    prefix,
    concurrency: max,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    maxStalledCount: 0,
    maxStartedAttempts: 1,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  // A Redis that came back empty has lost the lock of a job: its shard goes on all the same.
  worker.on('error', noteOnce(note));
  return {
    takeNoMore: () => void worker.close(),
    close: async () => {
      // BullMQ waits for Redis, which may be away.
      await withinMs(maxToCloseMs, [worker.close()]);
      redis.disconnect();
    },
  };
}

/** It blocks for 5 to 10 s. */
const ofBullmq = { socketTimeout: 15_000 };

const maxToCloseMs = 3000;

/** Notes what goes wrong, each thing once: while Redis is away the same is repeated again and again. */
function noteOnce(note: (text: string) => void): (error: Error) => void {
  const noted = new Set<string>();
  return ({ message }) => {
    if (noted.has(message)) return;
    noted.add(message);
    note(`The queue in Redis: ${message}`);
  };
}

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
