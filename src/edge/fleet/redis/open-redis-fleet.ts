import type { Redis } from 'ioredis';
import { instant, ms } from '../../../base/time.ts';
import type { ShardJob } from '../../../fleet/messages.ts';
import type { Shards, ShardsListener } from '../../../fleet/shards.ts';
import { connectRedis, unavailable, withinMs, readRedisAddress, type RedisIdentity } from './connect-redis.ts';
import {
  checkPrefix,
  keysOf,
  type RunKeys,
  ofShardSchema,
  parsed,
  saidEntrySchema,
  type SaidEntry,
  readStream,
  type StreamReader,
} from './wire.ts';
import { followClock } from './common-clock.ts';
import { openHeartbeat, ToldOrders } from './told-orders.ts';
import { openJobs, type OfferedJobs } from './take-jobs.ts';

export interface RedisFleetOptions {
  /** `redis://` or `rediss://`. */
  url: string;
  /** User and password, where they are not in the address. */
  identity?: RedisIdentity;
  /** Before all keys: fleets with different prefixes do not see each other. */
  prefix: string;
  /** A job for every shard of one run, by their index. */
  jobs: readonly ShardJob[];
  /** Says what the result does not: that clocks drift, that something foreign is in a stream. */
  note: (text: string) => void;
}

/**
 * Offers the shards of a run to the workers that are connected to the same Redis, and keeps up the lines to them. The
 * heartbeat begins at once. Throws `usage` for an address or a prefix that cannot be read, `environment` where Redis
 * does not answer.
 */
export async function openRedisFleet({ url, identity, prefix, jobs, note }: RedisFleetOptions): Promise<Shards> {
  const [first] = jobs;
  if (first === undefined) throw new Error('a fleet has at least one shard');
  const keys = keysOf(checkPrefix(prefix), first.run);
  const address = readRedisAddress(url, identity);
  const redis = await connectRedis(address);
  const clock = await followClock(redis, { now: () => performance.now(), note });
  const orders = new ToldOrders();
  let listener: ShardsListener | undefined;
  const heard = new HearShards(jobs.length, {
    heard: (shard, message) => {
      listener?.heard(shard, message);
      if (message.kind === 'refused') heartbeat.soon();
    },
    gone: (shard, reason) => {
      listener?.gone(shard, reason);
      // Its worker waits to know that all was read.
      heartbeat.soon();
    },
  });
  const heartbeat = openHeartbeat(redis, keys.told, () => JSON.stringify(orders.next(heard.acknowledged)));
  const offer = async (): Promise<OfferedJobs> => {
    // Workers take no shard of a run whose coordinator cannot be heard.
    await heartbeat.now();
    return openJobs(redis, prefix, jobs);
  };
  const offered = await offer().catch((refused: unknown) => {
    redis.disconnect();
    throw unavailable(address, refused);
  });
  let reader: StreamReader | undefined;

  return {
    count: jobs.length,
    listen: (who) => {
      listener = who;
      reader = readShards({ redis, keys, heard });
    },
    tell: (message, shard) => {
      orders.tell(message, shard);
      heartbeat.soon();
    },
    appoint: (ahead) => {
      const at = performance.now() + ahead;
      return { at: clock.toRedis(at), instant: instant(at) };
    },
    clockUncertaintyMs: (shard) => ms(heard.clockUncertaintyMs(shard)),
    interruptedSince: () => {
      const answeredAt = reader?.answeredAt() ?? performance.now();
      return performance.now() - answeredAt > interruptedAfterMs ? instant(answeredAt) : undefined;
    },
    abandon: (shard) => {
      heard.leave(shard);
      orders.abandon(shard);
      heartbeat.soon();
    },
    close: async () => {
      reader?.close();
      clock.end();
      orders.close();
      // Without Redis there is nothing to be tidied up in it.
      await withinMs(maxToCloseMs, [heartbeat.end(), offered.withdraw(), redis.del(keys.said)]);
      redis.disconnect();
      noteDropped(heard, note);
    },
  };
}

/** The line is looked at twice a second. */
const interruptedAfterMs = 1500;

const maxToCloseMs = 3000;

function readShards({ redis, keys, heard }: { redis: Redis; keys: RunKeys; heard: HearShards }): StreamReader {
  return readStream(redis, keys.said, (entries, lastId) => {
    for (const entry of entries) heard.take(entry);
    // What was read is not needed any more; where this fails, it is trimmed with what comes next.
    redis.xtrim(keys.said, 'MINID', lastId).catch(() => undefined);
  });
}

function noteDropped({ unreadable }: HearShards, note: (text: string) => void): void {
  if (unreadable > 0) note(`${String(unreadable)} entries in the stream of this run were not from a shard of it.`);
}

/**
 * Puts what arrives from the shards of a run in order: an entry that was read before is dropped, one that comes before
 * its turn is dropped too, since its worker sends it again while it is not acknowledged. What cannot be read makes its
 * shard `gone`.
 */
export class HearShards {
  /** By shard: the number of its last entry that was heard. */
  readonly acknowledged: number[];
  readonly #uncertainty: number[];
  readonly #gone = new Set<number>();
  readonly #listener: ShardsListener;
  /** Entries that came before their turn. */
  holes = 0;
  /** Entries of no shard of this run. */
  unreadable = 0;

  constructor(count: number, listener: ShardsListener) {
    this.acknowledged = new Array<number>(count).fill(0);
    this.#uncertainty = new Array<number>(count).fill(0);
    this.#listener = listener;
  }

  /** Takes the fields of an entry, as they were read. */
  take(fields: Readonly<Record<string, string>>): void {
    const entry = saidEntrySchema.safeParse(fields).data;
    const last = entry === undefined ? undefined : this.acknowledged[entry.shard];
    if (entry === undefined || last === undefined) {
      this.unreadable += 1;
      return;
    }
    if (entry.number > last + 1) this.holes += 1;
    if (entry.number !== last + 1) return;
    this.acknowledged[entry.shard] = entry.number;
    this.#uncertainty[entry.shard] = entry.clockUncertaintyMs;
    if (!this.#gone.has(entry.shard)) this.#hear(entry);
  }

  clockUncertaintyMs(shard: number): number {
    return this.#uncertainty[shard] ?? 0;
  }

  /** A shard that was given up is heard no more. */
  leave(shard: number): void {
    this.#gone.add(shard);
  }

  #hear({ shard, said }: SaidEntry): void {
    const message = parsed(ofShardSchema, said);
    if (message === undefined) this.#lose(shard, 'what it said could not be read');
    else if (message.kind === 'gone') this.#lose(shard, message.reason);
    else this.#listener.heard(shard, message);
  }

  #lose(shard: number, reason: string): void {
    this.#gone.add(shard);
    this.#listener.gone(shard, reason);
  }
}
