/** Calls a function soon, after whatever else is waiting to run: `setImmediate`, or a test's own. */
export type Defer = (run: () => void) => void;

/** Work of about half a millisecond a step. */
export type Steps = Generator<undefined, void>;

const stepsAtOnce = 2;

/**
 * Does pieces of work in the order in which they were added, a few steps at a time, so that the event loop is never
 * held up for long: a second's histograms take some milliseconds to encode.
 */
export class StepQueue {
  readonly #waiting: Steps[] = [];
  readonly #defer: Defer;
  #isScheduled = false;

  constructor(defer: Defer) {
    this.#defer = defer;
  }

  add(steps: Steps): void {
    this.#waiting.push(steps);
    this.#schedule();
  }

  /** Does everything that is left, now. */
  drain(): void {
    while (this.#step());
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    this.#defer(() => {
      this.#isScheduled = false;
      for (let done = 0; done < stepsAtOnce && this.#step(); done++);
      this.#schedule();
    });
  }

  /** Whether there was anything to do. */
  #step(): boolean {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    if (first.next().done === true) this.#waiting.shift();
    return true;
  }
}
