import { instant, type Clock, type Instant } from '../../src/base/time.ts';

/** A stopped clock that fires all timers within one turn of the event loop, when a test calls it. */
export class ManualClock implements Clock {
  #reading = instant(0);
  readonly #waiting = new Set<() => void>();

  now(): Instant {
    return this.#reading;
  }

  readAt(): Instant {
    return this.#reading;
  }

  wallNow(): number {
    return this.#reading;
  }

  wakeAt(_at: Instant, wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  wakeAllAt(reading: number): void {
    this.#reading = instant(reading);
    const due = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of due) wake();
  }
}
