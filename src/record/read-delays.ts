import type { Instant, Ms } from '../base/time.ts';

interface ReadDelayOptions {
  /** Calls a function after the events that the loop has already received (`setImmediate`). */
  defer: (settle: () => void) => void;
  /** Receives what a reply waited for the event loop, what it waited for the system, and the instant of the probe that showed it. */
  record: (waited: Ms, delay: Ms, at: Instant) => void;
}

/** Replies between two probes beyond this number are not sampled. */
const maxReplies = 4096;

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

  constructor(options: ReadDelayOptions) {
    this.#options = options;
  }

  replied(waited: Ms): void {
    if (this.#waits.length < maxReplies) this.#waits.push(waited);
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
    this.#areProbesUsed = true;
  }
}
