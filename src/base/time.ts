declare const unit: unique symbol;

/** A length of time in milliseconds, fractions included. */
export type Ms = number & { readonly [unit]: 'ms' };

/** A reading of the monotonic clock, in milliseconds since an arbitrary start. Comparable across processes only if all use the machine's clock. */
export type Instant = number & { readonly [unit]: 'instant' };

export function ms(value: number): Ms {
  return value as Ms;
}

export function instant(value: number): Instant {
  return value as Instant;
}

/** Returns the time from one instant to another; negative if `to` is earlier. */
export function between(from: Instant, to: Instant): Ms {
  return (to - from) as Ms;
}

export function later(from: Instant, delay: Ms): Instant {
  return (from + delay) as Instant;
}

/** The clock of a run: real on the command line, virtual in tests. */
export interface Clock {
  /** The monotonic clock. */
  now(): Instant;
  /** The monotonic clock where data is read: readings within one turn of the event loop belong together. */
  readAt(): Instant;
  /** The wall clock in milliseconds since 1970, for dates in `Retry-After` and timestamps alone. */
  wallNow(): number;
  /**
   * Calls `wake` once, at `at` or as soon as possible after it, never before; the returned function cancels the call.
   */
  wakeAt(at: Instant, wake: () => void): () => void;
}

/** Shorter waits for the event loop are not known one by one; the delay of probes includes them. */
export const minWaitMs = 0.5;
