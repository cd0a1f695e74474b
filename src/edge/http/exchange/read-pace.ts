import { between, instant, later, ms, type Instant } from '../../../base/time.ts';

/** From how many content events a second on reading is paced. Below, each is read as soon as it is here. */
const busyPerSecond = 50_000;
const windowMs = ms(4);
/** How long nothing is read then: so much later than it could an event may be read. */
const pauseMs = 0.5;

/**
 * Paces the reading of replies in pieces where so many events arrive that nearly every one costs a wakeup and a read of
 * its own, as network cards do with their interrupts: after a turn of the event loop nothing is read for half a
 * millisecond, and what came meanwhile is read together. The processor is free in that time.
 */
export class ReadPace {
  #windowFrom = instant(0);
  #events = 0;
  #isBusy = false;
  #isPlanned = false;

  /** So many content events came in one read. */
  came(events: number, now: Instant): void {
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
    Atomics.wait(nobody, 0, 0, pauseMs);
  }
}

/** Never changes: a wait on it ends with its time. */
const nobody = new Int32Array(new SharedArrayBuffer(4));
