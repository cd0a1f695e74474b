import { type Instant, between } from '../base/time.ts';
import { failedTurns } from '../record/counters.ts';
import type { PartitionSum } from '../record/merging-recorder.ts';
import type { Droughts } from '../schedule/stop/watchdog.ts';
import type { GeneratorAccount } from '../result/journal/journal.ts';
import type { Worker, WorkerMachine } from '../result/sections/environment.ts';
import type { UnfitTarget } from '../session/session-context.ts';
import type { ShardLive } from './shard-figures.ts';

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

/** A shard that has said nothing for so long is lost: known within 5 s, but not when it was cut off for 3 s. */
const silenceMs = 4500;
/** The way to all shards may be interrupted for so long. */
const interruptionMs = 10_000;
/** The coordinator itself has stood still when it has not looked for so long. */
const stallMs = 1000;

interface Looked {
  states: readonly ShardState[];
  /** Since when the way to all shards has been interrupted. */
  interruptedSince: Instant | undefined;
}

/** Notices which shards have said nothing for too long. To be asked several times a second. */
export class ShardSilence {
  /** Up to here silence says nothing of a shard. */
  #quietUntil: Instant;
  #lookedAt: Instant;
  #stalledAt: Instant;

  constructor(startedAt: Instant) {
    this.#quietUntil = startedAt;
    this.#lookedAt = startedAt;
    this.#stalledAt = startedAt;
  }

  /** The shards that are lost by now, each with the reason. */
  look(now: Instant, { states, interruptedSince: since }: Looked): (readonly [ShardState, string])[] {
    // What was said while this process stood still is yet to be heard.
    if (between(this.#lookedAt, now) > stallMs) this.#stalledAt = now;
    this.#lookedAt = now;
    if (since !== undefined || this.#stalledAt === now) this.#quietUntil = now;
    const isCutOff = since !== undefined && now - Math.max(since, this.#stalledAt) >= interruptionMs;
    return states
      .filter(
        ({ isPlaying, heardAt }) => isPlaying && (isCutOff || now - Math.max(heardAt, this.#quietUntil) >= silenceMs),
      )
      .map((state) => [state, isCutOff ? interrupted : silent] as const);
  }
}

const interrupted = `the way to it was interrupted for ${String(interruptionMs / 1000)} s`;
const silent = `it said nothing for ${String(silenceMs / 1000)} s`;
