import type { Instant } from '../base/time.ts';
import { failedTurns } from '../record/counters.ts';
import type { PartitionSum } from '../record/merging-recorder.ts';
import type { Droughts } from '../schedule/stop/droughts.ts';
import type { GeneratorAccount } from '../result/journal/journal.ts';
import type { Worker, WorkerMachine } from '../result/sections/worker.ts';
import type { UnfitTarget } from '../session/session-context.ts';
import type { ShardLive } from './live-figures.ts';

/** Of a shard: `waiting` until it is ready; it plays from `ready` on. */
export type ShardPhase = 'waiting' | 'ready' | 'ended' | 'lost';

/** What the coordinator knows of one shard. */
export class ShardState {
  readonly index: number;
  phase: ShardPhase = 'waiting';
  machine: WorkerMachine | undefined;
  /** When it last said anything. */
  heardAt: Instant;
  /** How late it began; `null` before that. */
  startLateMs: number | null = null;
  clockUncertaintyMs = 0;
  live: ShardLive | undefined;
  droughts: Droughts | undefined;
  account: Omit<GeneratorAccount, 'samples'> = { generator: null, traffic: null, transport: null };
  /** The number of intervals that have come, and the end of the latest, in milliseconds since the start. */
  pieces = 0;
  deliveredMs = 0;
  elapsedMs = 0;
  /** Its target never worked, as far as it has seen. */
  unfit: UnfitTarget | undefined;
  lost: Worker['lost'] = null;

  constructor(index: number, now: Instant) {
    this.index = index;
    this.heardAt = now;
  }

  get isPlaying(): boolean {
    return this.phase === 'ready';
  }

  /** As the result shows it; `sums`: what it has counted. */
  publish(sums: readonly PartitionSum[]): Worker[] {
    if (this.machine === undefined) return [];
    const { index: shard, machine, startLateMs, clockUncertaintyMs, account, lost } = this;
    const sum = (read: (counters: PartitionSum['counters']) => number): number =>
      sums.reduce((all, { counters }) => all + read(counters), 0);
    return [
      {
        ...machine,
        shard,
        startLateMs,
        clockUncertaintyMs,
        sessionsStarted: sum(({ sessions }) => sessions.started),
        turnsFinished: sum(({ turns }) => turns.ok + failedTurns(turns)),
        generator: account.generator,
        lost,
      },
    ];
  }
}
