import type { Redis } from 'ioredis';
import type { ShardJob, ToShard } from '../../../fleet/messages.ts';
import type { ShardLine, LineListener } from '../../../fleet/shards.ts';
import { connectRedis, readRedisAddress, type RedisIdentity } from './connect-redis.ts';
import { checkPrefix, keysOf, type RunKeys, parsed, heartbeatSchema, readStream, type StreamReader } from './wire.ts';
import { followClock, type RedisClock } from './common-clock.ts';
import { takeJobs, type JobTaking, type JobTakingOptions } from './take-jobs.ts';
import { Outbox, openPublisher } from './outbox.ts';
import { OrdersOfShard } from './heartbeat.ts';

export interface WorkerSideOptions {
  url: string;
  identity?: RedisIdentity;
  prefix: string;
  note: (text: string) => void;
}

/** A worker's connection to Redis. */
export interface WorkerSide {
  /** The address without user and password. */
  shown: string;
  take(options: Pick<JobTakingOptions, 'max' | 'play'>): Promise<JobTaking>;
  /** Returns the milliseconds since the coordinator's latest heartbeat; `undefined`: there is none. */
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

/** Notes when the connection breaks, and when it is restored. */
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

/** Reads the clock that all processes of one machine share. Milliseconds with fractions. */
const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The ends of a line, and the clock that converts instants of its coordinator. */
interface LineEnds {
  redis: Redis;
  clock: RedisClock;
  keys: RunKeys;
  shard: { index: number; count: number };
}

/** Opens the line of a worker to the coordinator of one of its shards. */
function openShardLine({ redis, clock, keys, shard }: LineEnds): ShardLine {
  const outbox = new Outbox();
  const orders = new OrdersOfShard(shard.index);
  const publisher = openPublisher(redis, outbox, { key: keys.said, shard, clockUncertaintyMs: clock.uncertaintyMs });
  const onOurClock = (message: ToShard): ToShard =>
    message.kind === 'start' ? { ...message, at: clock.toOurs(message.at) } : message;

  const receive = (text: string | undefined, listener: LineListener): void => {
    const heartbeat = parsed(heartbeatSchema, text);
    const news = heartbeat && orders.take(heartbeat);
    if (heartbeat === undefined || news === undefined) return;
    outbox.acknowledge(heartbeat.acknowledged[shard.index] ?? 0);
    publisher.pump();
    listener.heartbeat();
    for (const message of news.messages) listener.received(onOurClock(message));
    // Later messages would only remain in Redis.
    if (news.isAbandoned || heartbeat.isClosed) publisher.close();
    if (news.isAbandoned) listener.abandoned();
    if (heartbeat.isClosed) listener.closed();
  };

  let reader: StreamReader | undefined;
  return {
    send: (said) => {
      const isKept = outbox.add(said);
      publisher.pump();
      return isKept;
    },
    listen: (listener) => {
      reader = readStream(redis, keys.told, (entries) => entries.forEach(({ told }) => receive(told, listener)));
    },
    isRead: () => outbox.isEmpty,
    close: () => {
      publisher.close();
      reader?.close();
    },
  };
}

/** Returns the milliseconds since the coordinator's latest heartbeat, by the clock of Redis. */
async function silenceOf({ redis, clock, keys }: Omit<LineEnds, 'shard'>): Promise<number | undefined> {
  const [newest] = await redis.xrevrange(keys.told, '+', '-', 'COUNT', 1);
  if (newest === undefined) return undefined;
  const [id, fields] = newest;
  const heartbeat = parsed(heartbeatSchema, fields[1]);
  if (heartbeat === undefined || heartbeat.isClosed) return undefined;
  return clock.redisNow() - Number(id.split('-')[0]);
}
