import { build, type Histogram } from 'hdr-histogram-js';
import type { Distribution } from './dataset-document.ts';

const mostValue = 2 ** 40;

/** How the values of a dataset are distributed, in constant memory: a quantile is at most 1 % above the true one. */
export class Values {
  readonly #histogram: Histogram = build({
    bitBucketSize: 64,
    lowestDiscernibleValue: 1,
    highestTrackableValue: mostValue,
    numberOfSignificantValueDigits: 2,
  });
  #sum = 0;
  #max = 0;

  /** A whole number from 0 on. */
  add(value: number): void {
    this.#histogram.recordValue(Math.min(value, mostValue));
    this.#sum += value;
    this.#max = Math.max(this.#max, value);
  }

  /** `null` for none. */
  summary(): Distribution | null {
    const count = this.#histogram.totalCount;
    if (count === 0) return null;
    const at = (percentile: number): number => Math.min(this.#max, this.#histogram.getValueAtPercentile(percentile));
    return { mean: this.#sum / count, p50: at(50), p95: at(95), p99: at(99), max: this.#max };
  }
}
