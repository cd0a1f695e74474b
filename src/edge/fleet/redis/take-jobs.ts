import { connectRedis, withinMs, loadQueue, type RedisAddress } from './connect-redis.ts';
import { queueName, jobIdOf } from './wire.ts';
import type { Redis } from 'ioredis';
import type { ShardJob } from '../../../fleet/messages.ts';

export interface JobTaking {
  /** Takes no new job; those in progress go on. */
  takeNoMore(): void;
  close(): Promise<void>;
}

export interface JobTakingOptions {
  prefix: string;
  /** Maximum number of concurrent jobs. */
  max: number;
  /** Runs a job, which is unvalidated data from the wire. Never rejects. */
  play: (job: unknown) => Promise<void>;
  note: (text: string) => void;
  /** Time after which a silent worker loses its job, in milliseconds; default half a minute. */
  lockMs?: number;
}

/**
 * Takes jobs from the queue. A job is assigned to one worker, once: if that dies, its lock expires and the job has failed.
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
  // A Redis that restarted empty has lost the lock of a job, but the shard of that job continues.
  worker.on('error', noteOnce(note));
  return {
    takeNoMore: () => void worker.close(),
    close: async () => {
      // BullMQ waits for Redis, which may be unavailable.
      await withinMs(maxToCloseMs, [worker.close()]);
      redis.disconnect();
    },
  };
}

/** BullMQ blocks for 5 to 10 s. */
const ofBullmq = { socketTimeout: 15_000 };

const maxToCloseMs = 3000;

/** Notes every error once: while Redis is unavailable it is repeated again and again. */
function noteOnce(note: (text: string) => void): (error: Error) => void {
  const noted = new Set<string>();
  return ({ message }) => {
    if (noted.has(message)) return;
    noted.add(message);
    note(`The queue in Redis: ${message}`);
  };
}

/** The jobs of a run until workers take them. */
export interface OfferedJobs {
  withdraw(): Promise<void>;
}

/** Offers a job for every shard, each to one worker and once. */
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
      // A job that a worker has taken is locked, and removed when that worker has finished it.
      await Promise.all(jobs.map(({ run, shard }) => queue.remove(jobIdOf(run, shard.index)).catch(() => 0)));
      await queue.close();
    },
  };
}

/** BullMQ logs job events in a stream, which is not read. */
const keptEvents = 100;
