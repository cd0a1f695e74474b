import { DenseHistogram } from './dense-histogram.ts';

/** Histograms to borrow: each is 190 KB that intervals hand on to one another. */
export class HistogramPool {
  readonly #idle: DenseHistogram[] = [];
  /** How many have been made. */
  size = 0;

  /** An empty histogram. */
  take(): DenseHistogram {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    this.size++;
    return new DenseHistogram();
  }

  /** Takes a histogram back; it must not be used afterwards. */
  give(histogram: DenseHistogram): void {
    histogram.clear();
    this.#idle.push(histogram);
  }
}
