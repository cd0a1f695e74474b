import { between, instant, later, ms, type Instant } from '../../../base/time.ts';

/** Minimum number of content events per second at which reading is paced. Below, each is read as soon as it arrives. */
const busyPerSecond = 50_000;
const windowMs = ms(4);
/** Length of a pause, which is the maximum delay of an event. */
const pauseMs = 0.5;

/**
 * Paces the reading of streamed replies when events arrive so fast that nearly every one costs a separate wakeup and
 * read, as network cards moderate interrupts: after a turn of the event loop nothing is read for half a millisecond,
 * and then all data that arrived meanwhile at once. The processor is free during the pause.
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

/** This value never changes, so a wait on it always times out. */
const unchanging = new Int32Array(new SharedArrayBuffer(4));
