import type { Instant } from '../base/time.ts';
import type { RetryPolicy } from '../plan/plan.ts';

const slices = 10;

/**
 * A retry budget: retries may be at most a share of all attempts over a sliding window, kept in ten slices. A retry
 * counts from when it is granted: otherwise a storm of failures could be granted thousands during their backoffs.
 */
export class RetryBudget {
  readonly #share: number;
  readonly #sliceMs: number;
  readonly #attempts = new Array<number>(slices).fill(0);
  readonly #granted = new Array<number>(slices).fill(0);
  #slice = 0;

  constructor({ share, windowMs }: NonNullable<RetryPolicy['budget']>) {
    this.#share = share;
    this.#sliceMs = Math.max(1, windowMs / slices);
  }

  /** Counts an attempt that is sent at `now`, first or not. */
  attempt(now: Instant): void {
    this.#slideTo(now);
    this.#attempts[this.#slice % slices] = (this.#attempts[this.#slice % slices] ?? 0) + 1;
  }

  /** Grants one more retry, which must then be made, if it keeps the share. */
  grant(now: Instant): boolean {
    this.#slideTo(now);
    if (sum(this.#granted) + 1 > this.#share * (sum(this.#attempts) + 1)) return false;
    this.#granted[this.#slice % slices] = (this.#granted[this.#slice % slices] ?? 0) + 1;
    return true;
  }

  #slideTo(now: Instant): void {
    const slice = Math.floor(now / this.#sliceMs);
    for (let passed = Math.max(this.#slice + 1, slice - slices + 1); passed <= slice; passed++) {
      this.#attempts[passed % slices] = 0;
      this.#granted[passed % slices] = 0;
    }
    this.#slice = Math.max(this.#slice, slice);
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
