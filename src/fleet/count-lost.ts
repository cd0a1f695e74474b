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
} from '../record/counters.ts';
import type { IntervalTally, PartitionTally, Snapshot } from '../record/snapshot.ts';
import type { MergingRecorder } from '../record/merging-recorder.ts';
import type { ShardState } from './shard-state.ts';

type PlannedPart = Pick<Plan, 'sessions' | 'retry' | 'warmUpMs'>;

/** A shard that fell silent. */
export interface LostShard {
  shard: Shard;
  /** Its name in snapshots. */
  worker: string;
  /** Everything that it published; `undefined` if nothing ever came of it. */
  published: Snapshot | undefined;
}

/**
 * What the books lack of a lost shard, as one more snapshot of it, to be merged with what it published: its sessions
 * and turns under way are lost, the turns of these sessions that were sent are planned, and the sessions of its share
 * that it never reached are not started. It is in the interval in which the shard was last heard of, and has no series.
 */
export function countLost(plan: PlannedPart, lost: LostShard): Snapshot {
  const { published, worker } = lost;
  const { elapsedMs = 0, intervalMs = shortestIntervalMs, intervals = [], levels = [] } = published ?? {};
  const startMs = Math.max(0, ...[...intervals, ...levels].map((each) => each.startMs));
  const totals = plan.retry.flatMap((_, policy) => lostOfPolicy(plan, lost, policy));
  return {
    kind: 'chat-load/snapshot',
    schemaVersion: 1,
    workers: [worker],
    elapsedMs,
    warmUpMs: plan.warmUpMs,
    intervalMs,
    totals,
    intervals: totals.map((tally): IntervalTally => ({ startMs, ...tally })),
    levels: [],
    examples: [],
    violations: [],
  };
}

function lostOfPolicy(plan: PlannedPart, { shard, published }: LostShard, policy: number): PartitionTally[] {
  const warmUp = countedIn(published, { warmUp: true, policy });
  const measured = countedIn(published, { warmUp: false, policy });
  const { carried_over: carriedOver } = warmUp.turnFlow;
  const found = [
    { warmUp: true, counters: underWay(warmUp, -carriedOver) },
    { warmUp: false, counters: underWay(measured, carriedOver) },
  ];
  const isWarmUp = (published?.elapsedMs ?? 0) < plan.warmUpMs;
  for (const phase of found)
    if (phase.warmUp === isWarmUp)
      phase.counters.sessions.not_started = neverReached(plan, { shard, policy }, [warmUp, measured]);
  return found
    .map((phase) => ({ warmUp: phase.warmUp, policy, counters: storeCounters(phase.counters), series: {} }))
    .filter(({ counters }) => Object.keys(counters).length > 0);
}

const countedIn = (
  published: Snapshot | undefined,
  { warmUp, policy }: { warmUp: boolean; policy: number },
): Counters =>
  sumCounters(
    (published?.totals ?? [])
      .filter((tally) => tally.warmUp === warmUp && tally.policy === policy)
      .map(({ counters }) => counters),
  );

/** What was under way in one phase, of which `carriedOver` turns belong to sessions of the phase before. */
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

/** Never negative: a count that cannot be is left as it is, so that the books do not balance and say so. */
const left = (all: number, ended: number): number => Math.max(0, all - ended);

/** The sessions of a policy in the share of a shard, less those that were started, dropped or left. */
function neverReached(
  { sessions, retry }: PlannedPart,
  { shard, policy }: { shard: Shard; policy: number },
  phases: readonly Counters[],
): number {
  if (sessions === null) return 0;
  const share = shareOf(sessions, shard);
  // Policies come round in the numbers of a shard as in all: each of its first sessions stands for those a round later.
  const dealt = retry.reduce((sum, _, index) => {
    const isOurs = (numberIn(shard, index + 1) - 1) % retry.length === policy;
    return isOurs ? sum + shareOf(share, { index, count: retry.length }) : sum;
  }, 0);
  const reached = phases.reduce((sum, each) => sum + total(pick(each.sessions)), 0);
  return left(dealt, reached);
}

const pick = ({ started, dropped, not_started }: Counters['sessions']) => ({ started, dropped, not_started });

/** Closes the books of a shard that was lost, in the interval in which it was last heard of. */
export function closeBooks(
  recorder: MergingRecorder,
  { index, deliveredMs }: Pick<ShardState, 'index' | 'deliveredMs'>,
  { plan, shards }: { plan: Plan; shards: number },
): void {
  const worker = String(index);
  const startMs = Math.max(0, deliveredMs - shortestIntervalMs);
  const totals = recorder.countedBy(worker).map((sum) => ({
    ...sum,
    counters: storeCounters(sum.counters),
    series: {},
  }));
  const published: Snapshot = {
    kind: 'chat-load/snapshot',
    schemaVersion: 1,
    workers: [worker],
    elapsedMs: deliveredMs,
    warmUpMs: plan.warmUpMs,
    intervalMs: shortestIntervalMs,
    totals,
    intervals: totals.map((tally) => ({ startMs, ...tally })),
    levels: [],
    examples: [],
    violations: [],
  };
  recorder.add(worker, countLost(plan, { shard: { index, count: shards }, worker, published }));
}
