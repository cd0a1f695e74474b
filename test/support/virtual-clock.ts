import { instant, type Clock, type Instant } from '../../src/base/time.ts';

interface Timer {
  at: Instant;
  order: number;
  wake: () => void;
}

/** Time that passes only when nothing else is left to do: runs of hours take milliseconds and are the same every time. */
export class VirtualClock implements Clock {
  /** Added to the monotonic time: the wall clock's own zero, in milliseconds since 1970. */
  wallStart = Date.UTC(2026, 0, 1);
  #now = instant(0);
  #order = 0;
  readonly #timers = new Set<Timer>();

  now(): Instant {
    return this.#now;
  }

  readAt(): Instant {
    return this.#now;
  }

  wallNow(): number {
    return this.wallStart + this.#now;
  }

  wakeAt(at: Instant, wake: () => void): () => void {
    const timer: Timer = { at, order: this.#order++, wake };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Number of set timers: none must be left when a run has ended. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the clock without waking anyone, as in a stalled process. */
  stall(delayMs: number): void {
    this.#now = instant(this.#now + delayMs);
  }

  /** Runs everything that is waiting, timer by timer, until `until` or until nothing is left. */
  async run(until = Infinity): Promise<void> {
    for (;;) {
      await settle();
      const next = this.#earliest();
      if (next === undefined || next.at > until) break;
      this.#timers.delete(next);
      this.#now = instant(Math.max(this.#now, next.at));
      next.wake();
    }
    if (until < Infinity) this.#now = instant(Math.max(this.#now, until));
  }

  /** Runs until a promise is fulfilled or rejected. */
  async finish<T>(promise: Promise<T>): Promise<T> {
    await this.run();
    return promise;
  }

  #earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    return first;
  }
}

/** Lets all pending promise callbacks run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
