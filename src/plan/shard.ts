import { ChatLoadError } from '../base/errors.ts';
import { countOf } from '../base/format.ts';
import type { Plan, Segment } from './plan.ts';
import { nanosOf, nanosPerUnit } from './prices.ts';

/** A part of a run of `count` shards: the sessions whose (number - 1) mod count is its index. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** A run of one shard. */
export const wholeRun: Shard = { index: 0, count: 1 };

/** Returns the number of a shard's n-th session, n from 1. */
export function numberIn({ index, count }: Shard, nth: number): number {
  return index + 1 + (nth - 1) * count;
}

/** Returns the index of the shard that has a session. */
export function shardOf(session: number, shards: number): number {
  return (session - 1) % shards;
}

export function owns({ index, count }: Shard, number: number): boolean {
  return shardOf(number, count) === index;
}

/** Returns a shard's part of a whole number; the parts of all shards add up to it. */
export function shareOf(total: number, { index, count }: Shard): number {
  return Math.max(0, Math.ceil((total - index) / count));
}

/**
 * Returns the plan of one shard: numbers of sessions and limits are divided so that they sum to the whole. Levels of load
 * remain unchanged: the schedule assigns slots and arrivals.
 */
export function dealtPlan(plan: Plan, shard: Shard): Plan {
  if (shard.count === 1) return plan;
  const dealt = (total: number | null): number | null => total && shareOf(total, shard);
  const { load } = plan;
  return {
    ...plan,
    sessions: dealt(plan.sessions),
    maxTurns: dealt(plan.maxTurns),
    maxSessions: dealt(plan.maxSessions),
    maxCost: plan.maxCost && shareOf(nanosOf(plan.maxCost), shard) / nanosPerUnit,
    load: {
      ...load,
      maxTurnsInFlight: dealt(load.maxTurnsInFlight),
      ...(load.model === 'open' && { maxConcurrency: dealt(load.maxConcurrency) }),
    },
  };
}

/**
 * Reports whether a shard only runs some of the retry policies, because both are assigned by session number.
 * Differences between shards could then be caused by their policies.
 */
export function dealsPoliciesApart(policies: number, shards: number): boolean {
  return shards > 1 && gcd(policies, shards) > 1;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** Throws a usage error if the load cannot be divided among this number of shards. */
export function checkShards(plan: Plan, count: number): void {
  for (const [what, max] of bounds(plan))
    if (max !== null && max < count)
      throw new ChatLoadError('usage', {
        message: `${what} cannot be divided among ${String(count)} shards: some would have no work.`,
        hint: `Nothing was sent. Use at most ${countOf(maxShardsOf(plan), 'shard')}, or raise that bound.`,
      });
}

/** Returns the maximum number of shards among which the load can be divided. */
export function maxShardsOf(plan: Plan): number {
  return Math.max(1, Math.min(...bounds(plan).map(([, max]) => max ?? Infinity)));
}

function bounds({ sessions, load }: Plan): readonly (readonly [string, number | null])[] {
  const shared: (readonly [string, number | null])[] = [
    [countOf(sessions ?? 0, 'session'), sessions],
    [`maxTurnsInFlight ${String(load.maxTurnsInFlight)}`, load.maxTurnsInFlight],
  ];
  if (load.model === 'open') return [...shared, [`maxConcurrency ${String(load.maxConcurrency)}`, load.maxConcurrency]];
  const peak = Math.ceil(peakOf(load.segments));
  return [...shared, [`A concurrency of ${String(peak)}`, peak]];
}

const peakOf = (segments: readonly Segment[]): number => Math.max(0, ...segments.flatMap(({ from, to }) => [from, to]));
