import { createHistogram } from 'node:perf_hooks';
import type { Instant } from '../../base/time.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';

/** The event loop is sampled this often; the period itself is not a delay. */
export const loopPeriodMs = 10;

/** Maximum delay that counts; longer ones mean that the machine was asleep, which the clocks show. */
const maxMs = 3_600_000;

/**
 * Delays of the event loop for work due at any instant. A delay of 1 s is more than one value among thousands: all work
 * due in that second was late, by between 0 and 1 s, so each missed period counts (the correction of HDR histograms for
 * the expected interval).
 */
export class LoopDelays {
  readonly #microseconds = createHistogram({ lowest: 1, highest: maxMs * 1000, figures: 3 });
  #lastAt: Instant;

  constructor(startedAt: Instant) {
    this.#lastAt = startedAt;
  }

  /** The loop has run, or the watch has ended. */
  sign(at: Instant): void {
    const maxDelayMs = Math.min(at - this.#lastAt - loopPeriodMs, maxMs);
    this.#lastAt = at;
    this.#record(maxDelayMs);
    for (let delayMs = maxDelayMs - loopPeriodMs; delayMs > 0; delayMs -= loopPeriodMs) this.#record(delayMs);
  }

  figures(): Pick<GeneratorHealth, 'eventLoopDelayP50Ms' | 'eventLoopDelayP99Ms' | 'eventLoopDelayMaxMs'> {
    const seen = this.#microseconds;
    return {
      eventLoopDelayP50Ms: seen.percentile(50) / 1000,
      eventLoopDelayP99Ms: seen.percentile(99) / 1000,
      eventLoopDelayMaxMs: seen.max / 1000,
    };
  }

  /** Resets the record. */
  restart(): void {
    this.#microseconds.reset();
  }

  #record(delayMs: number): void {
    this.#microseconds.record(Math.max(1, Math.round(delayMs * 1000)));
  }
}
