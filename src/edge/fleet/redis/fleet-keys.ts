import { ChatLoadError } from '../../../base/errors.ts';

/** The queue of shards that wait for a worker; BullMQ puts the prefix before it. */
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

/** How long a stream stays that nobody adds to any more. */
export const streamExpiryMs = 600_000;

/** The name of a job of BullMQ, which allows no colon. */
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
