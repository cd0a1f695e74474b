import type { Redis } from 'ioredis';
import { streamExpiryMs } from './fleet-keys.ts';

export interface Heartbeat {
  /** Beats now, or as soon as the beat under way is over. */
  now(): Promise<void>;
  /** The same, where one that fails is made up for by the next. */
  soon(): void;
  /** Beats once more, for the last time. */
  end(): Promise<void>;
}

/**
 * Adds what `text` gives to a stream once a second. Only the newest entry is kept, since it says everything; readers
 * that wait for an entry get each.
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
