/** Calls a function soon, after whatever else is waiting to run: `setImmediate`, or a test's own. */
export type Defer = (run: () => void) => void;

/** Work in steps of about a quarter of a millisecond. */
export type Steps = Generator<undefined, void>;

/**
 * Does pieces of work in the order in which they were added, one step per turn of the event loop, so
 * that it is never held up for long: a second's histograms take some milliseconds to encode.
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
      this.#step();
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
