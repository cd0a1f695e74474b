import { between, ms, type Instant, type Ms } from '../../base/time.ts';
import { failure, type Delivery } from '../http/delivery.ts';

/** Refilling accumulates such errors. */
const roundingError = 1e-9;

export interface Rate {
  perSecond: number;
  /** Maximum and initial number of tokens of a bucket. */
  burst: number;
}

/** A token bucket, which refills evenly. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: Instant;

  constructor(rate: Rate, now: Instant) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  /** Takes a token; returns 0, or the wait until one is available. */
  take(now: Instant): Ms {
    const wait = this.waitFor(1, now);
    if (wait === 0) this.spend(1);
    return wait;
  }

  /** Returns the wait until this number of tokens is available. */
  waitFor(tokens: number, now: Instant): Ms {
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (between(this.#filledAt, now) / 1000) * perSecond);
    this.#filledAt = now;
    const missing = tokens - this.#tokens;
    return ms(missing <= roundingError ? 0 : (missing / perSecond) * 1000);
  }

  /** Takes tokens, even if they are not available. */
  spend(tokens: number): void {
    this.#tokens -= tokens;
  }

  /** Number of whole tokens that were available at the last wait or since. */
  get remaining(): number {
    return Math.max(0, Math.floor(this.#tokens + roundingError));
  }

  /** Time until it is full. */
  get untilFull(): Ms {
    return ms(((this.#rate.burst - this.#tokens) / this.#rate.perSecond) * 1000);
  }
}

/** Returns the `Retry-After` of a wait: whole seconds, rounded up, so that a token is available after it. */
export function retryAfterOf(wait: Ms): string {
  return String(Math.ceil(wait / 1000));
}

/** A token bucket for every key. */
export class KeyLimits {
  readonly #rate: Rate | null;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate | null) {
    this.#rate = rate;
  }

  /** Returns the refusal of a key that has used up its tokens; `undefined`: allowed. */
  refuse(key: string, now: Instant): Delivery | undefined {
    if (this.#rate === null) return undefined;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, (bucket = new TokenBucket(this.#rate, now)));
    const wait = bucket.take(now);
    return wait === 0 ? undefined : failure(429, 'Too many requests', retryAfterOf(wait));
  }
}
