import { between, instant, later, ms, type Instant } from '../../../base/time.ts';

/** Minimum number of content events per second at which reading is paced. Below, each is read as soon as it arrives. */
const busyPerSecond = 50_000;
const windowMs = ms(4);
/** Length of a pause, which is the maximum delay of an event. */
const pauseMs = 0.5;

/**
 * Paces the reading of streamed replies when so many events arrive that nearly every one costs a wakeup and a read of its
 * own, as network cards do with their interrupts: after a turn of the event loop nothing is read for half a millisecond,
 * and the data that arrived meanwhile is read at once. The processor is free in that time.
 */
export class ReadPace {
  #windowFrom = instant(0);
  #events = 0;
  #isBusy = false;
  #isPlanned = false;

  /** Counts the content events of one read. */
  count(events: number, now: Instant): void {
    this.#events += events;
    if (now >= later(this.#windowFrom, windowMs)) this.#beginWindow(now);
    if (!this.#isBusy || this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#pause());
  }

  #beginWindow(now: Instant): void {
    this.#isBusy = (this.#events / between(this.#windowFrom, now)) * 1000 >= busyPerSecond;
    this.#windowFrom = now;
    this.#events = 0;
  }

  #pause(): void {
    this.#isPlanned = false;
    Atomics.wait(unchanging, 0, 0, pauseMs);
  }
}

/** Never changes: a wait on it always times out. */
const unchanging = new Int32Array(new SharedArrayBuffer(4));
