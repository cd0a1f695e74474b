import type { Instant, Ms } from '../base/time.ts';
import type { FromShard, ToShard } from './messages.ts';

/** Receives the messages of a run's shards. */
export interface ShardsListener {
  /** Called with each parsed message; messages of one shard arrive in order. */
  received: (shard: number, message: FromShard) => void;
  /** Called when a shard can no longer send messages: its process has ended, or a message could not be parsed. */
  gone: (shard: number, reason: string) => void;
}

/** The shards of one run. Implementations know how to reach them, and never start a shard twice. */
export interface Shards {
  readonly count: number;
  /** Called once, at the beginning; earlier messages are delivered then. */
  listen(listener: ShardsListener): void;
  /** Sends a message to one shard, or to all that are not gone. */
  send(message: ToShard, shard?: number): void;
  /** Appoints a future instant: as `at` of a `start`, and on the clock of this process. */
  appoint(ahead: Ms): { at: number; instant: Instant };
  /** Maximum error of a shard's clock against the common one: 0 on one machine. */
  clockUncertaintyMs(shard: number): Ms;
  /**
   * Start of the current interruption of the connection to all shards, on the clock of this process; `undefined`: none.
   * During an interruption, silence is not evidence about a shard.
   */
  interruptedSince(): Instant | undefined;
  /** Abandons a shard: it must not send anything further. */
  abandon(shard: number): void;
  /** Releases the run's resources; shards that have not ended are cut. */
  close(): Promise<void>;
}

/** Receives the messages of a shard's coordinator. */
export interface LineListener {
  /** Called while the coordinator is alive. */
  heartbeat(): void;
  /** Called once per message. `at` of a `start` is on the clock that the processes of this machine share. */
  received(message: ToShard): void;
  /** Called when the shard was abandoned: it must not send anything further. */
  abandoned(): void;
  /** Called when the run is over: messages are no longer read. */
  closed(): void;
}

/** Message that a worker forwards for a shard: the shard's own, or the end of its process. */
export type OfShard = FromShard | { kind: 'gone'; reason: string };

/** Connection between a worker and the coordinator of one of its shards. Messages are kept until they were read there. */
export interface ShardLine {
  /** Returns `false` if the buffer is full and the message is lost. */
  send(said: OfShard): boolean;
  /** Called once. */
  listen(listener: LineListener): void;
  /** Reports whether the coordinator has read all messages. */
  isRead(): boolean;
  close(): void;
}
