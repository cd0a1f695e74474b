import { instant, ms } from '../../../base/time.ts';
import type { ShardJob } from '../../../fleet/messages.ts';
import type { Shards, ShardsListener } from '../../../fleet/shards.ts';
import { connectRedis, unavailable, withinMs, readRedisAddress, type RedisIdentity } from './connect-redis.ts';
import {
  checkPrefix,
  keysOf,
  ofShardSchema,
  parsed,
  saidEntrySchema,
  type SaidEntry,
  readStream,
  type StreamReader,
} from './wire.ts';
import { followClock } from './common-clock.ts';
import { openHeartbeat, OrdersToShards } from './heartbeat.ts';
import { openJobs } from './take-jobs.ts';

export interface RedisFleetOptions {
  /** `redis://` or `rediss://`. */
  url: string;
  /** User and password that are not in the address. */
  identity?: RedisIdentity;
  /** Prefix of all keys: fleets with different prefixes are separate. */
  prefix: string;
  /** A job for every shard of one run, by index. */
  jobs: readonly ShardJob[];
  /** Reports facts that are not in the result: drifting clocks, foreign entries in a stream. */
  note: (text: string) => void;
}

/**
 * Offers the shards of a run to the workers that are connected to the same Redis, and maintains the lines to them. The
 * heartbeat begins at once. Throws `usage` for an invalid address or prefix, `environment` if Redis does not answer.
 */
export async function openRedisFleet({ url, identity, prefix, jobs, note }: RedisFleetOptions): Promise<Shards> {
  const [first] = jobs;
  if (first === undefined) throw new Error('a fleet has at least one shard');
  const keys = keysOf(checkPrefix(prefix), first.run);
  const address = readRedisAddress(url, identity);
  const redis = await connectRedis(address);
  const clock = await followClock(redis, { now: () => performance.now(), note });
  const orders = new OrdersToShards();
  let listener: ShardsListener | undefined;
  const inbox = new ShardInbox(jobs.length, {
    received: (shard, message) => {
      listener?.received(shard, message);
      if (message.kind === 'refused') heartbeat.soon();
    },
    gone: (shard, reason) => {
      listener?.gone(shard, reason);
      // The worker waits for the acknowledgement.
      heartbeat.soon();
    },
  });
  const heartbeat = openHeartbeat(redis, keys.told, () => JSON.stringify(orders.next(inbox.acknowledged)));
  // Workers take no shard of a run without a heartbeat.
  const offered = await heartbeat
    .now()
    .then(() => openJobs(redis, prefix, jobs))
    .catch((refused: unknown) => {
      redis.disconnect();
      throw unavailable(address, refused);
    });
  let reader: StreamReader | undefined;

  return {
    count: jobs.length,
    listen: (who) => {
      listener = who;
      reader = readStream(redis, keys.said, (entries, lastId) => {
        for (const entry of entries) inbox.take(entry);
        // Read entries are no longer needed; if this call fails, the next one trims them.
        redis.xtrim(keys.said, 'MINID', lastId).catch(() => undefined);
      });
    },
    send: (message, shard) => {
      orders.add(message, shard);
      heartbeat.soon();
    },
    appoint: (ahead) => {
      const at = performance.now() + ahead;
      return { at: clock.toRedis(at), instant: instant(at) };
    },
    clockUncertaintyMs: (shard) => ms(inbox.clockUncertaintyMs(shard)),
    interruptedSince: () => {
      const answeredAt = reader?.answeredAt() ?? performance.now();
      return performance.now() - answeredAt > interruptedAfterMs ? instant(answeredAt) : undefined;
    },
    abandon: (shard) => {
      inbox.leave(shard);
      orders.abandon(shard);
      heartbeat.soon();
    },
    close: async () => {
      reader?.close();
      clock.end();
      orders.close();
      // Without Redis nothing has to be cleaned up.
      await withinMs(maxToCloseMs, [heartbeat.end(), offered.withdraw(), redis.del(keys.said)]);
      redis.disconnect();
      const { unreadable } = inbox;
      if (unreadable > 0) note(`${String(unreadable)} entries in the stream of this run were not from a shard of it.`);
    },
  };
}

/** The line is checked twice a second. */
const interruptedAfterMs = 1500;

const maxToCloseMs = 3000;

/**
 * Reads the entries of a run's shards in order. An entry that was read before is dropped; one that is too early is dropped
 * too, because its worker sends it again until it is acknowledged. An unreadable message makes its shard `gone`.
 */
export class ShardInbox {
  /** Number of the last entry that was read, by shard. */
  readonly acknowledged: number[];
  readonly #uncertainty: number[];
  readonly #gone = new Set<number>();
  readonly #listener: ShardsListener;
  /** Number of entries that were too early. */
  holes = 0;
  /** Number of entries that are not from a shard of this run. */
  unreadable = 0;

  constructor(count: number, listener: ShardsListener) {
    this.acknowledged = new Array<number>(count).fill(0);
    this.#uncertainty = new Array<number>(count).fill(0);
    this.#listener = listener;
  }

  /** Takes the fields of an entry. */
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
    if (!this.#gone.has(entry.shard)) this.#receive(entry);
  }

  clockUncertaintyMs(shard: number): number {
    return this.#uncertainty[shard] ?? 0;
  }

  /** Ignores further messages of a shard that was given up. */
  leave(shard: number): void {
    this.#gone.add(shard);
  }

  #receive({ shard, said }: SaidEntry): void {
    const message = parsed(ofShardSchema, said);
    if (message === undefined) this.#lose(shard, 'its message could not be read');
    else if (message.kind === 'gone') this.#lose(shard, message.reason);
    else this.#listener.received(shard, message);
  }

  #lose(shard: number, reason: string): void {
    this.#gone.add(shard);
    this.#listener.gone(shard, reason);
  }
}
