import type { Histogram } from 'hdr-histogram-js';
import { liveHistogram } from './histogram.ts';

/** Live histograms to borrow: each is 190 KB that intervals hand on to one another. */
export class HistogramPool {
  readonly #idle: Histogram[] = [];
  readonly #all: Histogram[] = [];

  /** An empty histogram. */
  take(): Histogram {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const made = liveHistogram();
    this.#all.push(made);
    return made;
  }

  /** Takes a histogram back; it must not be used afterwards. */
  give(histogram: Histogram): void {
    histogram.reset();
    this.#idle.push(histogram);
  }

  /** Frees every histogram that was ever taken. */
  destroy(): void {
    for (const histogram of this.#all.splice(0)) histogram.destroy();
    this.#idle.length = 0;
  }

  /** How many histograms exist. */
  get size(): number {
    return this.#all.length;
  }
}
