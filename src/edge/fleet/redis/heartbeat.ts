import type { ToShard } from '../../../fleet/messages.ts';
import { type Orders, type HeartbeatData, streamExpiryMs } from './wire.ts';
import type { Redis } from 'ioredis';

const levels = [null, 'drain', 'halt', 'cut'] as const;
const nothing: Orders = { start: null, stop: null };

/** Orders of a coordinator to its shards so far; `start` is in milliseconds of the clock of Redis. */
export class OrdersToShards {
  #all = nothing;
  #number = 0;
  #isClosed = false;
  readonly #only = new Map<number, Orders & { isAbandoned: boolean }>();

  add(message: ToShard, shard?: number): void {
    if (shard === undefined) this.#all = withMessage(this.#all, message);
    else this.#only.set(shard, withMessage(this.#ordersOf(shard), message));
  }

  abandon(shard: number): void {
    this.#only.set(shard, { ...this.#ordersOf(shard), isAbandoned: true });
  }

  /** The run is over: every shard is cut. */
  close(): void {
    this.add({ kind: 'stop', level: 'cut' });
    this.#isClosed = true;
  }

  /** Returns the next heartbeat. */
  next(acknowledged: readonly number[]): HeartbeatData {
    this.#number += 1;
    const only = [...this.#only].map(([shard, orders]) => ({ shard, ...orders }));
    return { number: this.#number, all: this.#all, only, acknowledged: [...acknowledged], isClosed: this.#isClosed };
  }

  #ordersOf(shard: number): Orders & { isAbandoned: boolean } {
    return this.#only.get(shard) ?? { ...nothing, isAbandoned: false };
  }
}

/** Orders to one shard, read from the heartbeats of its coordinator, which may arrive in any order and may be lost. */
export class OrdersOfShard {
  readonly #shard: number;
  #number = 0;
  #start: number | null = null;
  #level = 0;

  constructor(shard: number) {
    this.#shard = shard;
  }

  /** Returns the news of a heartbeat; `undefined`: a later one was read already. */
  take(heartbeat: HeartbeatData): { messages: ToShard[]; isAbandoned: boolean } | undefined {
    if (heartbeat.number <= this.#number) return undefined;
    this.#number = heartbeat.number;
    const own = heartbeat.only.find(({ shard }) => shard === this.#shard);
    const start = own?.start ?? heartbeat.all.start;
    const level = Math.max(levels.indexOf(heartbeat.all.stop), levels.indexOf(own?.stop ?? null));
    return { messages: [...this.#started(start), ...this.#stopped(level)], isAbandoned: own?.isAbandoned === true };
  }

  #started(at: number | null): ToShard[] {
    if (at === null || at === this.#start) return [];
    this.#start = at;
    return [{ kind: 'start', at }];
  }

  #stopped(index: number): ToShard[] {
    const level = levels[index];
    if (index <= this.#level || level === undefined || level === null) return [];
    this.#level = index;
    return [{ kind: 'stop', level }];
  }
}

function withMessage<T extends Orders>(orders: T, message: ToShard): T {
  if (message.kind === 'start') return { ...orders, start: message.at };
  const isHigher = levels.indexOf(message.level) > levels.indexOf(orders.stop);
  return isHigher ? { ...orders, stop: message.level } : orders;
}

export interface Heartbeat {
  /** Beats now, or as soon as the beat in progress is over. */
  now(): Promise<void>;
  /** Beats like `beat`, but ignores failures: the next beat makes up for them. */
  soon(): void;
  /** Beats for the last time. */
  end(): Promise<void>;
}

/**
 * Adds `text()` to a stream once a second. Only the newest entry is kept, because it contains everything; readers that wait
 * for an entry get each.
 */
export function openHeartbeat(redis: Redis, key: string, text: () => string): Heartbeat {
  let underWay: Promise<void> | undefined;
  let isDue = false;

  const beat = async (expiryMs = streamExpiryMs): Promise<void> => {
    await Promise.all([redis.xadd(key, 'MAXLEN', '=', 1, '*', 'told', text()), redis.pexpire(key, expiryMs)]);
  };
  const now = (): Promise<void> => {
    isDue = underWay !== undefined;
    underWay ??= beat().finally(() => {
      underWay = undefined;
      if (isDue) soon();
    });
    return underWay;
  };
  const soon = (): void => void now().catch(() => undefined);

  const timer = setInterval(soon, betweenBeatsMs);
  return {
    now,
    soon,
    end: async () => {
      clearInterval(timer);
      await underWay?.catch(() => undefined);
      await beat(lastBeatExpiryMs);
    },
  };
}

const betweenBeatsMs = 1000;

/** Long enough for a worker that was cut off from Redis to read that the run is over. */
const lastBeatExpiryMs = 15_000;
