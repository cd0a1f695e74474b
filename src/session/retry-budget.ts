import type { Instant } from '../base/time.ts';
import type { RetryPolicy } from '../plan/plan.ts';

const slices = 10;

/** A retry budget: retries may be at most a share of all attempts over a sliding window, kept in ten slices. */
export class RetryBudget {
  readonly #share: number;
  readonly #sliceMs: number;
  readonly #attempts = new Array<number>(slices).fill(0);
  readonly #retries = new Array<number>(slices).fill(0);
  #slice = 0;

  constructor({ share, windowMs }: NonNullable<RetryPolicy['budget']>) {
    this.#share = share;
    this.#sliceMs = Math.max(1, windowMs / slices);
  }

  /** Counts an attempt at `now`, first or not. */
  attempt(now: Instant, isRetry: boolean): void {
    this.#slideTo(now);
    const at = this.#slice % slices;
    this.#attempts[at] = (this.#attempts[at] ?? 0) + 1;
    if (isRetry) this.#retries[at] = (this.#retries[at] ?? 0) + 1;
  }

  /** Whether one more retry would keep the share. */
  allows(now: Instant): boolean {
    this.#slideTo(now);
    return sum(this.#retries) + 1 <= this.#share * (sum(this.#attempts) + 1);
  }

  #slideTo(now: Instant): void {
    const slice = Math.floor(now / this.#sliceMs);
    for (let passed = Math.max(this.#slice + 1, slice - slices + 1); passed <= slice; passed++) {
      this.#attempts[passed % slices] = 0;
      this.#retries[passed % slices] = 0;
    }
    this.#slice = Math.max(this.#slice, slice);
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
