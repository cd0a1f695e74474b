import { z } from 'zod';
import { parseJson } from '../../../base/json.ts';
import { fromShardSchema, toShardSchema } from '../../../fleet/messages.ts';
import { ChatLoadError } from '../../../base/errors.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { anotherConnection } from './connect-redis.ts';

/** Messages of a worker about one shard: from the shard itself, or that its process has ended. */
export const ofShardSchema = z.discriminatedUnion('kind', [
  fromShardSchema,
  z.object({ kind: z.literal('gone'), reason: z.string() }),
]);

/** Fields of an entry of the stream from the shards. `number`: from 1, without gaps, for each shard. */
export const saidEntrySchema = z.object({
  shard: z.coerce.number().pipe(z.int().min(0)),
  number: z.coerce.number().pipe(z.int().min(1)),
  clockUncertaintyMs: z.coerce.number().pipe(z.number().min(0)),
  /** JSON of `ofShardSchema`. */
  said: z.string(),
});
export type SaidEntry = z.infer<typeof saidEntrySchema>;

const [startSchema, stopSchema] = toShardSchema.options;

/** Orders to a shard. `start`: in milliseconds of the clock of Redis. */
const ordersSchema = z.object({ start: startSchema.shape.at.nullable(), stop: stopSchema.shape.level.nullable() });

/**
 * The heartbeat of a coordinator: all orders so far, so that only the newest one matters, and the next one makes up for a
 * lost one.
 */
export const heartbeatSchema = z.object({
  /** From 1, by one with each heartbeat. */
  number: z.int().min(1),
  /** For every shard. */
  all: ordersSchema,
  /** Orders to single shards. */
  only: z.array(ordersSchema.extend({ shard: z.int().min(0), isAbandoned: z.boolean() })),
  /** Number of the last entry that was read, by shard. */
  acknowledged: z.array(z.int().min(0)),
  /** The run is over. */
  isClosed: z.boolean(),
});
export type HeartbeatData = z.infer<typeof heartbeatSchema>;
export type Orders = z.infer<typeof ordersSchema>;

/** Parses JSON from the wire by a schema; `undefined`: it is invalid. */
export function parsed<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  try {
    return schema.safeParse(parseJson(text ?? '')).data;
  } catch {
    return undefined;
  }
}

/** The queue of shards that wait for a worker; BullMQ prepends the prefix. */
export const queueName = 'shards';

/** The streams of one run. */
export interface RunKeys {
  /** From its shards. */
  said: string;
  /** From its coordinator. */
  told: string;
}

export function keysOf(prefix: string, run: string): RunKeys {
  return { said: `${prefix}:run:${run}:said`, told: `${prefix}:run:${run}:told` };
}

/** Time after the last addition until a stream expires. */
export const streamExpiryMs = 600_000;

/** Returns the name of a job of BullMQ, which allows no colon. */
export function jobIdOf(run: string, shard: number): string {
  return `${run}-shard-${String(shard)}`;
}

/** Refuses a prefix that Redis or a reader could misread. Throws a usage error. */
export function checkPrefix(prefix: string): string {
  if (/^[\w.-]{1,64}$/.test(prefix)) return prefix;
  throw new ChatLoadError('usage', {
    message: `'${prefix}' cannot be the prefix of keys.`,
    hint: 'Use up to 64 letters, digits, dots, dashes and underscores.',
  });
}

/** An entry of a stream: its fields by name. */
type Fields = Readonly<Record<string, string>>;

export interface StreamReader {
  /** Time of the latest answer of Redis, by `performance.now()`: at least twice a second while the line is open. */
  answeredAt(): number;
  close(): void;
}

/**
 * Reads a stream from its beginning, on a separate connection. After an interruption it begins again: Redis may have
 * restarted without the stream, or with another clock. `take` receives entries in order, some of them repeatedly.
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
    const from = after;
    const reply = await own.xread('COUNT', maxAtOnce, 'BLOCK', blockMs, 'STREAMS', key, from);
    answeredAt = performance.now();
    const entries = reply?.[0]?.[1] ?? [];
    const lastId = entries.at(-1)?.[0];
    // If the connection broke in between, this is not the beginning.
    const isOutdated = from !== after;
    if (lastId === undefined || isOutdated || isClosed) return;
    after = lastId;
    const named = entries.map(([, fields]) => byName(fields));
    take(named, lastId);
  };
  const readOn = async (): Promise<void> => {
    // Without a connection it waits.
    while (!isClosed) await readOnce().catch(() => delay(afterErrorMs));
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
const maxAtOnce = 500;
const blockMs = 500;
const afterErrorMs = 50;

function byName(fields: readonly string[]): Fields {
  const names = fields.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name, fields[index * 2 + 1] ?? '']));
}
