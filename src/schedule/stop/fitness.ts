import type { FinishedClass } from '../../protocol/outcome.ts';

/** The first operations of a run, all of which failed in a way that neither a retry nor waiting cures. */
export interface Unusable {
  /** Class of the failure described by `first`; `check_failed` only if every reply failed a check. */
  outcome: FinishedClass;
  count: number;
  /** Description of the first failure: request, response and class. */
  first: string;
}

/**
 * Decides whether the target can perform one operation at all: create a session, or answer a message. Receives the
 * outcome of every finished operation until one succeeds or fails in a way that may pass. A failed attempt that is
 * retried does not count.
 */
export class Fitness {
  readonly #enough: number | null;
  #isKnown: boolean;
  #count = 0;
  #first: Omit<Unusable, 'count'> | undefined;

  /** `enough`: number of failures that decide; `null`: the target is never found unusable. */
  constructor(enough: number | null) {
    this.#enough = enough;
    this.#isKnown = enough === null;
  }

  /** Reports whether the decision was made: no further outcomes are needed. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Records an operation that succeeded, or failed in a way that may pass. */
  isFit(): void {
    this.#isKnown = true;
  }

  /** Records a final failure. Returns the finding after enough of them. */
  failed(outcome: FinishedClass, describe: () => string): Unusable | undefined {
    this.#count += 1;
    // A reply that fails a check at least conforms to the contract: any other failure is more informative.
    if (this.#first === undefined || (this.#first.outcome === 'check_failed' && outcome !== 'check_failed'))
      this.#first = { outcome, first: describe() };
    return this.#enough !== null && this.#count >= this.#enough ? this.conclude() : undefined;
  }

  /** Returns the finding at the end of the run, which may have had fewer operations; `undefined`: there is none. */
  conclude(): Unusable | undefined {
    if (this.#isKnown || this.#first === undefined) return undefined;
    this.#isKnown = true;
    return { ...this.#first, count: this.#count };
  }
}
