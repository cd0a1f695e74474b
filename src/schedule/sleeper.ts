import TinyQueue from 'tinyqueue';
import type { Clock, Instant } from '../base/time.ts';
import type { StopSignal, StopLevel } from './stop/stop-controller.ts';

interface Sleep {
  readonly at: Instant;
  readonly wakeOn: StopLevel;
  readonly wake: (onTime: boolean) => void;
}

/**
 * Sleeps that end at an instant or when the stop signal reaches a level. All sleepers share one timer, set to the
 * earliest: a hundred thousand sessions may be thinking at once.
 */
export class Sleeper {
  readonly #clock: Pick<Clock, 'now' | 'wakeAt'>;
  readonly #stopSignal: StopSignal;
  #sleeping = inOrder([]);
  #wakesAt: Instant | undefined;
  #cancel: () => void = () => undefined;

  constructor(clock: Pick<Clock, 'now' | 'wakeAt'>, stopSignal: StopSignal) {
    this.#clock = clock;
    this.#stopSignal = stopSignal;
    for (const level of ['drain', 'halt'] as const) stopSignal.when(level, () => this.#wakeAll(level));
  }

  /** Resolves to true at the instant, never earlier, or to false if the stop signal reaches `wakeOn` before it. */
  sleepUntil(at: Instant, wakeOn: StopLevel & ('drain' | 'halt')): Promise<boolean> {
    if (this.#stopSignal.reached(wakeOn)) return Promise.resolve(false);
    if (at <= this.#clock.now()) return Promise.resolve(true);
    return new Promise((wake) => {
      this.#sleeping.push({ at, wakeOn, wake });
      this.#setTimer();
    });
  }

  /** Sets the timer to the earliest instant, if it is not. */
  #setTimer(): void {
    const at = this.#sleeping.peek()?.at;
    if (at === this.#wakesAt) return;
    this.#cancel();
    this.#wakesAt = at;
    this.#cancel = at === undefined ? () => undefined : this.#clock.wakeAt(at, () => this.#wakeDue());
  }

  #wakeDue(): void {
    this.#wakesAt = undefined;
    const now = this.#clock.now();
    for (let next = this.#sleeping.peek(); next !== undefined && next.at <= now; next = this.#sleeping.peek()) {
      this.#sleeping.pop();
      next.wake(true);
    }
    this.#setTimer();
  }

  #wakeAll(level: StopLevel): void {
    const { data } = this.#sleeping;
    this.#sleeping = inOrder(data.filter(({ wakeOn }) => wakeOn !== level));
    this.#setTimer();
    // A busy process may notice the end of a run before an instant that has passed.
    const now = this.#clock.now();
    for (const { at, wakeOn, wake } of data) if (wakeOn === level) wake(at < now);
  }
}

const inOrder = (sleeps: Sleep[]): TinyQueue<Sleep> => new TinyQueue(sleeps, (a, b) => a.at - b.at);
