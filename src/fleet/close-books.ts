import type { Plan } from '../plan/plan.ts';
import { storeCounters } from '../record/counters.ts';
import { shortestIntervalMs } from '../record/interval-width.ts';
import type { MergingRecorder } from '../record/merging-recorder.ts';
import type { Snapshot } from '../record/snapshot.ts';
import { countLost } from './count-lost.ts';
import type { ShardState } from './shard-state.ts';

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
