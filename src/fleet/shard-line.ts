import type { FromShard, ToShard } from './messages.ts';

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
