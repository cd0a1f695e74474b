import type { Instant } from '../base/time.ts';
import type { ReadyWait } from './await-ready.ts';
import type { Coordinator } from './coordinator.ts';
import type { FromShard } from './messages.ts';
import type { ShardState } from './shard-state.ts';
import type { ShardsListener } from './shards.ts';

/** Passes what is heard of shards to who is to know: at first who waits for them, then the coordinator. */
export class Hearing implements ShardsListener {
  readonly #states: readonly ShardState[];
  readonly #wait: ReadyWait;
  #coordinator: Coordinator | undefined;

  constructor(states: readonly ShardState[], wait: ReadyWait) {
    this.#states = states;
    this.#wait = wait;
  }

  /** Resolves when all shards are ready. Rejects as `ReadyWait` does. */
  allReady(drain: AbortSignal): Promise<void> {
    return this.#wait.all(drain);
  }

  /** All are ready, and begin at this instant. */
  follow(coordinator: Coordinator, startedAt: Instant): void {
    for (const state of this.#states) state.heardAt = startedAt;
    this.#coordinator = coordinator;
    for (const [state, message] of this.#early) coordinator.heard(state, message);
    // One may have gone since it was ready.
    for (const [state, reason] of this.#gone) coordinator.lose(state, reason);
  }

  readonly heard = (shard: number, message: FromShard): void => {
    const state = this.#states[shard];
    if (state === undefined) return;
    if (message.kind === 'ready') {
      state.machine = message.worker;
      state.phase = 'ready';
    }
    if (this.#coordinator !== undefined) return this.#coordinator.heard(state, message);
    if (message.kind === 'warning') this.#early.push([state, message]);
    this.#wait.heard(state, message);
  };

  readonly gone = (shard: number, reason: string): void => {
    const state = this.#states[shard];
    if (state === undefined) return;
    this.#gone.set(state, reason);
    if (this.#coordinator === undefined) this.#wait.gone(state, reason);
    else this.#coordinator.lose(state, reason);
  };

  readonly #gone = new Map<ShardState, string>();
  /** What is to be known during the run, and was said before it. */
  readonly #early: (readonly [ShardState, FromShard])[] = [];
}
