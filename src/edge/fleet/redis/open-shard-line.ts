import type { Redis } from 'ioredis';
import type { ToShard } from '../../../fleet/messages.ts';
import type { LineListener, ShardLine } from '../../../fleet/shard-line.ts';
import type { RunKeys } from './fleet-keys.ts';
import type { RedisClock } from './follow-clock.ts';
import { Outbox } from './outbox.ts';
import { openPublisher } from './publish.ts';
import { readStream, type StreamReader } from './read-stream.ts';
import { OrdersOfShard } from './told-orders.ts';
import { parsed, toldSchema } from './wire.ts';

/** Where a line goes, and the clock that instants of its coordinator are converted by. */
export interface LineEnds {
  redis: Redis;
  clock: RedisClock;
  keys: RunKeys;
  shard: { index: number; count: number };
}

/** Opens the line of a worker to the coordinator of one of its shards. */
export function openShardLine({ redis, clock, keys, shard }: LineEnds): ShardLine {
  const outbox = new Outbox();
  const orders = new OrdersOfShard(shard.index);
  const publisher = openPublisher(redis, outbox, { key: keys.said, shard, clockUncertaintyMs: clock.uncertaintyMs });
  const onOurClock = (message: ToShard): ToShard =>
    message.kind === 'start' ? { ...message, at: clock.toOurs(message.at) } : message;

  const hear = (text: string | undefined, listener: LineListener): void => {
    const told = parsed(toldSchema, text);
    const news = told && orders.take(told);
    if (told === undefined || news === undefined) return;
    outbox.acknowledge(told.acknowledged[shard.index] ?? 0);
    publisher.pump();
    listener.heartbeat();
    for (const message of news.messages) listener.told(onOurClock(message));
    // What is said from here on would only stay behind in Redis.
    if (news.isAbandoned || told.isClosed) publisher.close();
    if (news.isAbandoned) listener.abandoned();
    if (told.isClosed) listener.closed();
  };

  let reader: StreamReader | undefined;
  return {
    say: (said) => {
      const isKept = outbox.add(said);
      publisher.pump();
      return isKept;
    },
    listen: (listener) => {
      reader = readStream(redis, keys.told, (entries) => entries.forEach(({ told }) => hear(told, listener)));
    },
    isRead: () => outbox.isEmpty,
    close: () => {
      publisher.close();
      reader?.close();
    },
  };
}

/**
 * How long ago the coordinator of a run was heard of, by the clock of Redis; `undefined`: nothing of it is there.
 * Milliseconds.
 */
export async function silenceOf({ redis, clock, keys }: Omit<LineEnds, 'shard'>): Promise<number | undefined> {
  const [newest] = await redis.xrevrange(keys.told, '+', '-', 'COUNT', 1);
  if (newest === undefined) return undefined;
  const [id, fields] = newest;
  const told = parsed(toldSchema, fields[1]);
  if (told === undefined || told.isClosed) return undefined;
  return clock.redisNow() - Number(id.split('-')[0]);
}
