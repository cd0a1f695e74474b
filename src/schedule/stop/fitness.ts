import { between, type Instant } from '../../base/time.ts';

export const enoughOperations = 50;
const enoughMs = 2000;

/** An operation that has come to its end. */
interface EndedOperation {
  sentAt: Instant;
  endedAt: Instant;
}

/**
 * Whether the target can do one thing at all: create a session, or answer a message. It is given the outcome of every
 * attempt until one is ok, or fails in a way that may pass; if neither happens among the first fifty and within two
 * seconds, whichever is later, the target is unfit.
 */
export class Fitness {
  #isKnown = false;
  #count = 0;
  #firstSentAt: Instant | undefined;
  #first = '';
  readonly #enough: number;

  /** `enough`: how many operations must have failed. */
  constructor(enough = enoughOperations) {
    this.#enough = enough;
  }

  /** No further reports are needed. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** It was ok, or failed in a way that may pass. */
  isFit(): void {
    this.#isKnown = true;
  }

  /** It failed for good. Returns the number of failures and the first of them in words, once the target is unfit. */
  failed({ sentAt, endedAt }: EndedOperation, describe: () => string): { count: number; first: string } | undefined {
    this.#count += 1;
    this.#firstSentAt ??= sentAt;
    if (this.#count === 1) this.#first = describe();
    if (this.#count < this.#enough || between(this.#firstSentAt, endedAt) < enoughMs) return undefined;
    this.#isKnown = true;
    return { count: this.#count, first: this.#first };
  }
}
