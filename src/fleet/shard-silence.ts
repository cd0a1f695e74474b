import { between, type Instant } from '../base/time.ts';
import type { ShardState } from './shard-state.ts';

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
