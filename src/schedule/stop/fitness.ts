import { between, type Instant } from '../../base/time.ts';

const enoughOperations = 50;
const enoughMs = 2000;

/** An operation that has come to its end. */
interface EndedOperation {
  sentAt: Instant;
  endedAt: Instant;
}

/**
 * Whether the target can do one thing at all: create a session, or answer a message. Is told how every attempt at it
 * ended, until one shows that it can, or fails in a way that may pass; where there was neither among the first fifty nor
 * within two seconds, whichever takes longer, the target is unfit.
 */
export class Fitness {
  #isKnown = false;
  #count = 0;
  #firstSentAt: Instant | undefined;
  #first = '';

  /** Nothing more is to be told. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** It went well, or failed as any service may for a while. */
  isFit(): void {
    this.#isKnown = true;
  }

  /** It failed for good, as it will again. Gives how many did and the first of them in words, once that is the verdict. */
  failed({ sentAt, endedAt }: EndedOperation, describe: () => string): { count: number; first: string } | undefined {
    this.#count += 1;
    this.#firstSentAt ??= sentAt;
    if (this.#count === 1) this.#first = describe();
    if (this.#count < enoughOperations || between(this.#firstSentAt, endedAt) < enoughMs) return undefined;
    this.#isKnown = true;
    return { count: this.#count, first: this.#first };
  }
}
