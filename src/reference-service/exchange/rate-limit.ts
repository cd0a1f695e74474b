import { between, ms, type Instant, type Ms } from '../../base/time.ts';

export interface Rate {
  perSecond: number;
  /** Tokens that a bucket holds at most, and at first. */
  burst: number;
}

/** A token bucket: it refills evenly, and each exchange takes one token. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: Instant;

  constructor(rate: Rate, now: Instant) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  /** Takes a token: 0 when there was one, else the wait until there will be. */
  take(now: Instant): Ms {
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (between(this.#filledAt, now) / 1000) * perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return ms(((1 - this.#tokens) / perSecond) * 1000);
    this.#tokens--;
    return ms(0);
  }
}

/** The `Retry-After` of a wait: whole seconds, rounded up, so that a token is there after the wait. */
export function retryAfterOf(wait: Ms): string {
  return String(Math.ceil(wait / 1000));
}
