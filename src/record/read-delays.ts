import type { Instant, Ms } from '../base/time.ts';

interface ReadDelayOptions {
  /** Calls a function after the events that the loop has already received (`setImmediate`). */
  defer: (settle: () => void) => void;
  /** Receives what a reply waited for the event loop, what it waited for the system, and the instant of the probe that showed it. */
  record: (waited: Ms, delay: Ms, at: Instant) => void;
}

/** Number of replies between two probes of which each is sampled; of more, every second, fourth and so on. */
const maxReplies = 128;

/**
 * Estimates the delay with which replies are read: what each may have waited for the event loop, and the rest of the delay of the
 * probes next to it, which the system caused.
 */
export class ReadDelays {
  readonly #options: ReadDelayOptions;
  /** Waits of the replies since the last settlement. */
  #waits: Ms[] = [];
  /** Delays of the probes since the last settlement, or of the latest before it. */
  #probes: Ms[] = [];
  #at: Instant | undefined;
  #areProbesUsed = false;
  #isSettling = false;
  /** Replies since the last settlement, of which each `stride`th is sampled. */
  #replies = 0;
  #stride = 1;

  constructor(options: ReadDelayOptions) {
    this.#options = options;
  }

  replied(waited: Ms): void {
    if (this.#replies++ % this.#stride !== 0) return;
    if (this.#waits.length === maxReplies) {
      this.#waits = this.#waits.filter((_, at) => at % 2 === 0);
      this.#stride *= 2;
      if ((this.#replies - 1) % this.#stride !== 0) return;
    }
    this.#waits.push(waited);
  }

  /** `delay`: without the wait for the event loop. */
  probed(delay: Ms, at: Instant): void {
    if (this.#areProbesUsed) this.#probes = [];
    this.#areProbesUsed = false;
    this.#probes.push(delay);
    this.#at = at;
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#options.defer(() => this.settle());
  }

  /** Assigns delays to the replies since the last settlement, if there was a probe. */
  settle(): void {
    this.#isSettling = false;
    const [probes, at] = [this.#probes, this.#at];
    if (at === undefined) return;
    this.#waits.forEach((waited, reply) => {
      const delay = probes[reply % probes.length];
      if (delay !== undefined) this.#options.record(waited, delay, at);
    });
    this.#waits = [];
    [this.#replies, this.#stride] = [0, 1];
    this.#areProbesUsed = true;
  }
}
