import type { Clock, Instant } from '../base/time.ts';

/** A clock whose wake-ups can all be cancelled, so that none keeps the process alive. */
export class StoppableClock implements Clock {
  readonly #clock: Clock;
  readonly #pending = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Instant {
    return this.#clock.now();
  }

  wallNow(): number {
    return this.#clock.wallNow();
  }

  wakeAt(at: Instant, wake: () => void): () => void {
    const cancel = this.#clock.wakeAt(at, () => {
      this.#pending.delete(cancel);
      wake();
    });
    this.#pending.add(cancel);
    return () => {
      this.#pending.delete(cancel);
      cancel();
    };
  }

  /** Pending waits are never resolved. */
  stop(): void {
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }
}
