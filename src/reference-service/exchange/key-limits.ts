import type { Instant } from '../../base/time.ts';
import { failure, type Delivery } from '../http/delivery.ts';
import { retryAfterOf, TokenBucket, type Rate } from './rate-limit.ts';

/** A token bucket for every key. */
export class KeyLimits {
  readonly #rate: Rate | null;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate | null) {
    this.#rate = rate;
  }

  /** The answer to a key that has used up its tokens; `undefined`: allowed. */
  refuse(key: string, now: Instant): Delivery | undefined {
    if (this.#rate === null) return undefined;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, (bucket = new TokenBucket(this.#rate, now)));
    const wait = bucket.take(now);
    return wait === 0 ? undefined : failure(429, 'Too many requests', retryAfterOf(wait));
  }
}
