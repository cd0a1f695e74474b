import type { Instant, Ms } from '../base/time.ts';
import type { FromShard, ToShard } from './messages.ts';

/** Hears the shards of a run. */
export interface ShardsListener {
  /** A message that was parsed; of one shard they come in the order in which it said them. */
  heard: (shard: number, message: FromShard) => void;
  /** The shard can say nothing any more: its process has ended, or what it said could not be parsed. */
  gone: (shard: number, reason: string) => void;
}

/**
 * The shards of one run, wherever they are. The bank that implements it knows how to reach them, and nothing of runs. It
 * never starts a shard twice.
 */
export interface Shards {
  readonly count: number;
  /** Called once, at the beginning; what was said before is heard then. */
  listen(listener: ShardsListener): void;
  /** Tells one shard, or every one that is not gone. */
  tell(message: ToShard, shard?: number): void;
  /** Appoints an instant this far ahead: `at` of a `start`, and the same on the clock of this process. */
  appoint(ahead: Ms): { at: number; instant: Instant };
  /** How far the clock of a shard may be off the common one: 0 on one machine. */
  clockUncertaintyMs(shard: number): Ms;
  /**
   * Since when the way to all shards has been interrupted, on the clock of this process; `undefined`: it is open. While
   * it is, silence says nothing of a shard.
   */
  interruptedSince(): Instant | undefined;
  /** Gives up on a shard: wherever it is, it must send nothing any more. */
  abandon(shard: number): void;
  /** The run is over: ends what belongs to it. Shards that have not ended are cut. */
  close(): Promise<void>;
}

/** Hears the coordinator of a shard. */
export interface LineListener {
  /** It is alive. */
  heartbeat(): void;
  /** Each message once. `at` of a `start` is on the clock that the processes of this machine share. */
  told(message: ToShard): void;
  /** The shard was given up: nothing more is to be sent. */
  abandoned(): void;
  /** The run is over: nobody listens any more. */
  closed(): void;
}

/** What a worker passes on for a shard: its own words, or that its process has ended. */
export type OfShard = FromShard | { kind: 'gone'; reason: string };

/** The line between a worker and the coordinator of one of its shards. What is said is kept until it was read there. */
export interface ShardLine {
  /** `false`: there is no room for more; what was said is lost. */
  say(said: OfShard): boolean;
  /** Called once. */
  listen(listener: LineListener): void;
  /** Whether the coordinator has read everything that was said. */
  isRead(): boolean;
  close(): void;
}
