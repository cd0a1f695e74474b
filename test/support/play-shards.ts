import { conductRun } from '../../src/app/run/conduct-run.ts';
import type { ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import { checkShards, type Shard } from '../../src/plan/shard.ts';
import { MergingRecorder } from '../../src/record/merging-recorder.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { Send } from '../../src/session/send.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Runs a scenario in this many shards at once, in virtual time, and merges their published journals. */
export async function playShards(
  resolved: ResolvedScenario,
  count: number,
  sendBy: (clock: VirtualClock) => Send,
): Promise<Snapshot> {
  checkShards(resolved.plan, count);
  const clock = new VirtualClock();
  const startedAt = clock.now();
  const pieces: (readonly [string, Snapshot])[] = [];
  const never = new AbortController().signal;
  const playShard = (shard: Shard) =>
    conductRun(resolved, {
      sender: { send: sendBy(clock), cut: () => undefined },
      clock,
      stops: { drain: never, cut: never },
      journal: { add: (piece) => pieces.push([String(shard.index), piece]), failed: new Promise(() => undefined) },
      part: { shard, startedAt, leaveUnfit: () => undefined, stopping: () => undefined },
    });
  const shards = Array.from({ length: count }, (_, index) => ({ index, count }));
  const outcomes = await clock.finish(Promise.all(shards.map(playShard)));
  for (const { stop } of outcomes) if (stop?.kind === 'bug') throw stop.error;
  const merging = new MergingRecorder({ plan: resolved.plan, workers: shards.map(({ index }) => String(index)) });
  for (const [worker, piece] of pieces) merging.add(worker, piece);
  return merging.snapshot(Math.max(...outcomes.map(({ elapsedMs }) => elapsedMs)));
}
