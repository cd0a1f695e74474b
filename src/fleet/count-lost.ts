import type { Plan } from '../plan/plan.ts';
import { numberIn, shareOf, type Shard } from '../plan/shard.ts';
import { shortestIntervalMs } from '../record/interval-width.ts';
import {
  failedTurns,
  newCounters,
  storeCounters,
  sumCounters,
  total,
  weightedTotal,
  type Counters,
  type StoredCounters,
} from '../record/counters.ts';
import type { PartitionTally, Snapshot } from '../record/snapshot.ts';

type PlannedPart = Pick<Plan, 'sessions' | 'retry' | 'warmUpMs'>;

/** A shard that fell silent, and its published counts. */
export interface LostShard {
  shard: Shard;
  counted: readonly { warmUp: boolean; policy: number; counters: Counters | StoredCounters }[];
  /** End of its latest published interval, in milliseconds since the start. */
  deliveredMs: number;
}

/**
 * Returns the counts that the books of a lost shard lack, as a snapshot to be merged with its published ones: its active
 * sessions and turns are lost, the sent turns of these sessions are planned, and the sessions of its share that it never
 * reached are not started; if it published nothing, they are lost, too: it may have begun all of them. They belong to its latest published interval, and have no series.
 */
export function countLost(plan: PlannedPart, lost: LostShard): Snapshot {
  const startMs = Math.max(0, lost.deliveredMs - shortestIntervalMs);
  const totals = plan.retry.flatMap((_, policy) => lostOfPolicy(plan, lost, policy));
  return {
    kind: 'chat-load/snapshot',
    schemaVersion: 1,
    workers: [String(lost.shard.index)],
    elapsedMs: lost.deliveredMs,
    warmUpMs: plan.warmUpMs,
    intervalMs: shortestIntervalMs,
    totals,
    intervals: totals.map((tally) => ({ startMs, ...tally })),
    levels: [],
    examples: [],
    violations: [],
  };
}

function lostOfPolicy(plan: PlannedPart, { shard, counted, deliveredMs }: LostShard, policy: number): PartitionTally[] {
  const [warmUp, measured] = [true, false].map((phase) =>
    sumCounters(
      counted.filter((each) => each.warmUp === phase && each.policy === policy).map(({ counters }) => counters),
    ),
  ) as [Counters, Counters];
  const { carried_over: carriedOver } = warmUp.turnFlow;
  const found = [
    { warmUp: true, counters: underWay(warmUp, -carriedOver) },
    { warmUp: false, counters: underWay(measured, carriedOver) },
  ];
  const isWarmUp = deliveredMs < plan.warmUpMs;
  const remaining = neverReached(plan, { shard, policy }, [warmUp, measured]);
  for (const { counters, ...phase } of found) {
    if (phase.warmUp !== isWarmUp) continue;
    if (deliveredMs > 0) counters.sessions.not_started = remaining;
    else loseAll(counters, remaining);
  }
  return found
    .map((phase) => ({ warmUp: phase.warmUp, policy, counters: storeCounters(phase.counters), series: {} }))
    .filter(({ counters }) => Object.keys(counters).length > 0);
}

/** Counts sessions as lost in their creation: a shard that published nothing may have begun all of them. */
function loseAll({ sessions, exchanges }: Counters, count: number): void {
  sessions.started += count;
  sessions.lost += count;
  sessions.lost_creating += count;
  exchanges.createLost += count;
}

/** Counts the active sessions and turns of one phase; `carriedOver` turns belong to sessions of the previous phase. */
function underWay(counted: Counters, carriedOver: number): Counters {
  const { sessions, turns, turnFlow, exchanges, retries, createRetries, turnsByAttempts } = counted;
  const lost = newCounters();
  const creating = left(sessions.started, sessions.created + sessions.create_failed + sessions.create_cut);
  lost.sessions.lost_creating = creating;
  lost.sessions.lost = creating + left(sessions.created, sessions.completed + sessions.failed + sessions.cut);
  lost.turnFlow.lost = left(turnFlow.sent, turns.ok + failedTurns(turns) + turns.aborted + turns.abandoned);
  lost.turnFlow.planned = left(total(turns) + lost.turnFlow.lost, turnFlow.planned + carriedOver);
  lost.exchanges.lost = left(turnFlow.sent + total(retries), exchanges.attempts);
  const asked = sessions.started - sessions.uncreated + total(createRetries);
  lost.exchanges.createLost = left(asked, exchanges.createAttempts);
  lost.exchanges.ofLostTurns = left(exchanges.attempts, weightedTotal(turnsByAttempts));
  return lost;
}

/** Returns the remainder, which is never negative: impossible counts stay unchanged, so that the consistency checks fail visibly. */
const left = (all: number, ended: number): number => Math.max(0, all - ended);

/** Returns the number of sessions of a policy in the share of a shard that were not started, dropped or left unstarted. */
function neverReached(
  { sessions, retry }: PlannedPart,
  { shard, policy }: { shard: Shard; policy: number },
  phases: readonly Counters[],
): number {
  if (sessions === null) return 0;
  const share = shareOf(sessions, shard);
  // Policies alternate within a shard as in the whole run: each of its first sessions represents sessions of later rounds.
  const dealt = retry.reduce((sum, _, index) => {
    const isOurs = (numberIn(shard, index + 1) - 1) % retry.length === policy;
    return isOurs ? sum + shareOf(share, { index, count: retry.length }) : sum;
  }, 0);
  const reached = phases.reduce(
    (sum, { sessions: { started, dropped, not_started } }) => sum + started + dropped + not_started,
    0,
  );
  return left(dealt, reached);
}
