import { z } from 'zod';
import { turnClassNames } from '../protocol/outcome.ts';
import type { Live } from '../record/live.ts';

const count = z.number().min(0);

/** The live figures of one shard, as they travel: those that add up. */
export const liveSchema = z.object({
  elapsedMs: count,
  sessionsStarted: count,
  sessionsLive: count,
  sessionsDone: count,
  sessionsNotCreated: count,
  failedCreations: count,
  turnsInFlight: count,
  turns: z.record(z.enum(turnClassNames), count),
  attempts: count,
  retries: count,
  sessionsDropped: count,
  lastStartMs: count,
  sessionTimeMs: count,
  costMillionths: count,
});
export type ShardLive = z.infer<typeof liveSchema>;

/** The sum of the live figures of several shards; percentiles are not sums, and are given beside them. */
export function sumLive(parts: readonly ShardLive[], ofTurns: Pick<Live, 'p95Ms' | 'lastSecond'>): Live {
  const sum = (read: (live: ShardLive) => number): number => parts.reduce((total, each) => total + read(each), 0);
  const most = (read: (live: ShardLive) => number): number => Math.max(0, ...parts.map(read));
  return {
    elapsedMs: most((live) => live.elapsedMs),
    sessionsStarted: sum((live) => live.sessionsStarted),
    sessionsLive: sum((live) => live.sessionsLive),
    sessionsDone: sum((live) => live.sessionsDone),
    sessionsNotCreated: sum((live) => live.sessionsNotCreated),
    failedCreations: sum((live) => live.failedCreations),
    turnsInFlight: sum((live) => live.turnsInFlight),
    turns: Object.fromEntries(turnClassNames.map((name) => [name, sum((live) => live.turns[name])])) as Live['turns'],
    attempts: sum((live) => live.attempts),
    retries: sum((live) => live.retries),
    sessionsDropped: sum((live) => live.sessionsDropped),
    lastStartMs: most((live) => live.lastStartMs),
    sessionTimeMs: sum((live) => live.sessionTimeMs),
    costMillionths: sum((live) => live.costMillionths),
    ...ofTurns,
  };
}
