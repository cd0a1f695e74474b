import { connectRedis } from './connect-redis.ts';
import { queueName } from './fleet-keys.ts';
import type { RedisAddress } from './redis-address.ts';
import { withinMs } from './within-ms.ts';
import { loadQueue } from './redis-packages.ts';

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
  most: number;
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
  { prefix, most, play, note, lockMs = 30_000 }: JobTakingOptions,
): Promise<JobTaking> {
  const { Worker } = await loadQueue();
  const redis = await connectRedis(address, ofBullmq);
  const worker = new Worker<unknown>(queueName, ({ data }) => play(data), {
    connection: redis,
    prefix,
    concurrency: most,
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
      await withinMs(mostToCloseMs, [worker.close()]);
      redis.disconnect();
    },
  };
}

/** It blocks for 5 to 10 s. */
const ofBullmq = { socketTimeout: 15_000 };

const mostToCloseMs = 3000;

/** Notes what goes wrong, each thing once: while Redis is away the same is repeated again and again. */
function noteOnce(note: (text: string) => void): (error: Error) => void {
  const noted = new Set<string>();
  return ({ message }) => {
    if (noted.has(message)) return;
    noted.add(message);
    note(`The queue in Redis: ${message}`);
  };
}
