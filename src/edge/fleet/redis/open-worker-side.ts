import type { Redis } from 'ioredis';
import type { ShardJob } from '../../../fleet/shard-job.ts';
import type { ShardLine } from '../../../fleet/shard-line.ts';
import { connectRedis } from './connect-redis.ts';
import { checkPrefix, keysOf } from './fleet-keys.ts';
import { followClock } from './follow-clock.ts';
import { openShardLine, silenceOf } from './open-shard-line.ts';
import { readRedisAddress, type RedisIdentity } from './redis-address.ts';
import { takeJobs, type JobTaking, type JobTakingOptions } from './take-jobs.ts';

export interface WorkerSideOptions {
  url: string;
  identity?: RedisIdentity;
  prefix: string;
  note: (text: string) => void;
}

/** What a worker has of Redis. */
export interface WorkerSide {
  /** The address without user and password. */
  shown: string;
  take(options: Pick<JobTakingOptions, 'most' | 'play'>): Promise<JobTaking>;
  /** How long ago the coordinator of a run was heard of; `undefined`: there is none. Milliseconds. */
  silenceOf(run: string): Promise<number | undefined>;
  lineOf(job: Pick<ShardJob, 'run' | 'shard'>): ShardLine;
  close(): void;
}

/** Connects a worker to Redis; throws as `openRedisFleet` does. */
export async function openWorkerSide({ url, identity, prefix, note }: WorkerSideOptions): Promise<WorkerSide> {
  checkPrefix(prefix);
  const address = readRedisAddress(url, identity);
  const redis = await connectRedis(address);
  const clock = await followClock(redis, { now: machineNow, note });
  const watch = noteInterruptions(redis, address.shown, note);
  return {
    shown: address.shown,
    take: (options) => takeJobs(address, { prefix, note, ...options }),
    silenceOf: (run) => silenceOf({ redis, clock, keys: keysOf(prefix, run) }),
    lineOf: ({ run, shard }) => openShardLine({ redis, clock, keys: keysOf(prefix, run), shard }),
    close: () => {
      watch.end();
      clock.end();
      redis.disconnect();
    },
  };
}

/** Notes when the connection breaks, and when it is there again. */
function noteInterruptions(redis: Redis, shown: string, note: (text: string) => void): { end(): void } {
  let isOpen = true;
  const lose = (): void => {
    if (isOpen) note(`The connection to Redis at ${shown} is interrupted.`);
    isOpen = false;
  };
  redis.on('close', lose).on('ready', () => {
    if (!isOpen) note(`Connected to Redis at ${shown} again.`);
    isOpen = true;
  });
  return { end: () => void redis.off('close', lose) };
}

/** The clock that all processes of one machine share. Milliseconds with fractions. */
const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;
