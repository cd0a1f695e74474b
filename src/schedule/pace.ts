import { between, instant, type Instant } from '../base/time.ts';

/** How far behind the schedule starts are made up for at once: timers, garbage collection and the like. */
const leewayMs = 100;
/** How much faster than asked the schedule may run while it makes up for more than that. */
const catchUp = 1.1;

/**
 * Says when a session that is due may start. On time: when it is due. After the generator itself has stalled, or
 * sessions have waited for a place, the schedule is made up for at a tenth above its own pace, never in a burst.
 */
export class Pace {
  #lastStart: Instant;
  #lastDue: Instant;

  constructor(startedAt: Instant) {
    this.#lastStart = startedAt;
    this.#lastDue = startedAt;
  }

  next(due: Instant, now: Instant): Instant {
    const gap = between(this.#lastDue, due);
    const earliest = Math.max(this.#lastStart, now - leewayMs) + gap / catchUp;
    this.#lastDue = due;
    this.#lastStart = instant(Math.max(due, earliest));
    return this.#lastStart;
  }
}
