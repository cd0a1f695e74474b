import { between, instant, type Instant } from '../base/time.ts';

/** The delay behind the schedule that is made up at once: timers, garbage collection and the like. */
const leewayMs = 100;
/** How much faster than configured the schedule may run while it makes up for more than that. */
const catchUp = 1.1;

/**
 * Says when a session that is due may start. On time: when it is due. After the generator itself has stalled, the
 * schedule is made up for at a tenth above its own pace, never in a burst. Sessions that waited for a place are not
 * held back any further: places set their pace, and to hold them back would make the service look slower than it is.
 */
export class Pace {
  /** The generic cell rate algorithm: the position of the pace; starts may run ahead of it by the leeway. */
  #paced: Instant;
  #lastStart: Instant;
  #lastDue: Instant;
  #isSetByPlaces = false;

  constructor(startedAt: Instant) {
    this.#paced = startedAt;
    this.#lastStart = startedAt;
    this.#lastDue = startedAt;
  }

  next(due: Instant, now: Instant): Instant {
    const earliest = Math.max(due, now);
    const made = Math.max(this.#paced, this.#lastStart) + between(this.#lastDue, due) / catchUp;
    this.#paced = instant(this.#isSetByPlaces ? earliest : made);
    this.#isSetByPlaces &&= due < now;
    this.#lastDue = due;
    this.#lastStart = instant(Math.max(earliest, this.#paced - leewayMs));
    return this.#lastStart;
  }

  /**
   * The last session had to wait for a place: those that became due meanwhile may follow as places become free, and the
   * first one behind them when it is due.
   */
  waitedForPlace(): void {
    this.#isSetByPlaces = true;
  }
}
