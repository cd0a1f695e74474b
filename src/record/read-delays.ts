import { between, instant, ms, type Instant, type Ms } from '../base/time.ts';

interface ReadDelayOptions {
  /** Calls a function after the events that the loop has already received (`setImmediate`). */
  defer: (settle: () => void) => void;
  /** Receives the estimated delay of each reply, and the instant of the latest read. */
  record: (delay: Ms, at: Instant) => void;
}

/**
 * Estimates the delay with which replies are read. A probe shows the delay of its own instant; replies that are read with it
 * had about the same. Replies that arrive together wait for each other, which the probes of a quiet loop miss: after each
 * probe, the next batch of replies (all that one turn of the loop reads) is timed from its first reply. A reply takes the
 * larger of both delays, so that a stall counts once for every reply that it held up.
 */
export class ReadDelays {
  readonly #options: ReadDelayOptions;
  /** Number of replies since the last settlement, and the instant of the latest one or of the latest probe. */
  #replies = 0;
  #at = instant(0);
  /** Delays of the probes since the last settlement, or of the latest before it. */
  #probes: Ms[] = [];
  #areProbesUsed = false;
  #isTiming = false;
  #isSettling = false;
  /** Times since the first reply of the timed batch, in order. */
  #batch: Ms[] = [];
  #batchAt = instant(0);

  constructor(options: ReadDelayOptions) {
    this.#options = options;
  }

  replied(at: Instant): void {
    this.#replies++;
    if (this.#isTiming) this.#time(at);
  }

  probed(delay: Ms, at: Instant): void {
    if (this.#areProbesUsed) this.#probes = [];
    this.#areProbesUsed = false;
    this.#probes.push(delay);
    this.#at = at;
    this.#settleSoon();
  }

  /** Assigns delays to the replies since the last settlement, if there was a probe. */
  settle(): void {
    this.#isSettling = false;
    const { length } = this.#probes;
    if (length === 0) return;
    for (let reply = 0; reply < this.#replies; reply++) {
      const waited = this.#batch[reply % this.#batch.length] ?? 0;
      this.#options.record(ms(Math.max(waited, this.#probes[reply % length] ?? 0)), this.#at);
    }
    this.#replies = 0;
    this.#areProbesUsed = true;
    // A timed batch ends the timing; a probe begins it.
    this.#isTiming = this.#batch.length === 0;
    this.#batch = [];
  }

  #time(at: Instant): void {
    if (this.#batch.length === 0) this.#batchAt = at;
    this.#batch.push(between(this.#batchAt, at));
    this.#at = at;
    this.#settleSoon();
  }

  #settleSoon(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#options.defer(() => this.settle());
  }
}
