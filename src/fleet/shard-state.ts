import { type Instant, between } from '../base/time.ts';
import { failedTurns } from '../record/counters.ts';
import type { PartitionSum } from '../record/merging-recorder.ts';
import type { Droughts } from '../schedule/stop/watchdog.ts';
import type { GeneratorAccount } from '../result/journal/journal.ts';
import type { Worker, WorkerMachine } from '../result/sections/environment.ts';
import type { UnfitTarget } from '../session/session-context.ts';
import type { ShardLive } from './shard-figures.ts';

/** A shard is `waiting` until it is `ready`, and then runs. */
export type ShardPhase = 'waiting' | 'ready' | 'ended' | 'lost';

/** State of one shard in the coordinator. */
export class ShardState {
  readonly index: number;
  phase: ShardPhase = 'waiting';
  machine: WorkerMachine | undefined;
  /** Instant of its latest message. */
  receivedAt: Instant;
  /** Delay of its start; `null` before the start. */
  startLateMs: number | null = null;
  clockUncertaintyMs = 0;
  live: ShardLive | undefined;
  droughts: Droughts | undefined;
  account: Omit<GeneratorAccount, 'samples'> = { generator: null, traffic: null, transport: null };
  /** Number of received intervals, and the end of the latest in milliseconds since the start. */
  pieces = 0;
  deliveredMs = 0;
  elapsedMs = 0;
  /** Set if the target never worked for this shard. */
  unfit: UnfitTarget | undefined;
  lost: Worker['lost'] = null;

  constructor(index: number, now: Instant) {
    this.index = index;
    this.receivedAt = now;
  }

  get isPlaying(): boolean {
    return this.phase === 'ready';
  }

  /** Returns the entry of the shard in the result; `sums`: its counts. */
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

/**
 * Silence after which a shard is lost: short enough to detect a loss within 5 s, and longer than an interruption of 3
 * s.
 */
const silenceMs = 4500;
/** Maximum interruption of the connection to all shards. */
const interruptionMs = 10_000;
/** Time between two checks after which the coordinator itself was stalled. */
const stallMs = 1000;

interface Looked {
  states: readonly ShardState[];
  /** Start of the current interruption of the connection to all shards. */
  interruptedSince: Instant | undefined;
}

/** Detects shards that were silent for too long. To be called several times per second. */
export class ShardSilence {
  /** Silence before this instant is not evidence about a shard. */
  #quietUntil: Instant;
  #lookedAt: Instant;
  #stalledAt: Instant;

  constructor(startedAt: Instant) {
    this.#quietUntil = startedAt;
    this.#lookedAt = startedAt;
    this.#stalledAt = startedAt;
  }

  /** Returns the shards that are lost by now, each with the reason. */
  look(now: Instant, { states, interruptedSince: since }: Looked): (readonly [ShardState, string])[] {
    // Messages that arrived while this process was stalled are still unread.
    if (between(this.#lookedAt, now) > stallMs) this.#stalledAt = now;
    this.#lookedAt = now;
    if (since !== undefined || this.#stalledAt === now) this.#quietUntil = now;
    const isCutOff = since !== undefined && now - Math.max(since, this.#stalledAt) >= interruptionMs;
    return states
      .filter(
        ({ isPlaying, receivedAt }) =>
          isPlaying && (isCutOff || now - Math.max(receivedAt, this.#quietUntil) >= silenceMs),
      )
      .map((state) => [state, isCutOff ? interrupted : silent] as const);
  }
}

const interrupted = `the connection to it was interrupted for ${String(interruptionMs / 1000)} s`;
const silent = `it sent nothing for ${String(silenceMs / 1000)} s`;
