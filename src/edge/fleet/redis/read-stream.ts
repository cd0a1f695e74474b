import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { anotherConnection } from './connect-redis.ts';

/** An entry of a stream: its fields by name. */
export type Fields = Readonly<Record<string, string>>;

export interface StreamReader {
  /** When Redis answered last, by `performance.now()`: as long as the line is open, twice a second at least. */
  answeredAt(): number;
  close(): void;
}

/**
 * Reads a stream from its beginning, on a connection of its own. After an interruption it begins anew: Redis may have
 * come back without the stream, or with another clock. `take` gets entries in their order, some of them again.
 */
export function readStream(
  redis: Redis,
  key: string,
  take: (entries: readonly Fields[], lastId: string) => void,
): StreamReader {
  const own = anotherConnection(redis);
  let isClosed = false;
  let answeredAt = performance.now();
  let after = fromBeginning;
  own.on('close', () => (after = fromBeginning));

  const readOnce = async (): Promise<void> => {
    const asked = after;
    const reply = await own.xread('COUNT', mostAtOnce, 'BLOCK', blockMs, 'STREAMS', key, asked);
    answeredAt = performance.now();
    const entries = reply?.[0]?.[1] ?? [];
    const lastId = entries.at(-1)?.[0];
    // After an interruption in between this is not the beginning.
    const isOutdated = asked !== after;
    if (lastId === undefined || isOutdated || isClosed) return;
    after = lastId;
    take(
      entries.map(([, fields]) => byName(fields)),
      lastId,
    );
  };

  const readOn = async (): Promise<void> => {
    while (!isClosed)
      // While there is no connection it waits.
      await readOnce().catch(() => delay(afterErrorMs));
  };

  void readOn();
  return {
    answeredAt: () => answeredAt,
    close: () => {
      isClosed = true;
      own.disconnect();
    },
  };
}

const fromBeginning = '0-0';
const mostAtOnce = 500;
const blockMs = 500;
const afterErrorMs = 50;

function byName(fields: readonly string[]): Fields {
  const names = fields.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name, fields[index * 2 + 1] ?? '']));
}
