import { bucketCount, indexOf, type SparseHistogram } from './sparse-histogram.ts';

/** Scratch buffers for the filled buckets of one histogram at a time; results are copies. */
const found = { indexes: new Int32Array(bucketCount), counts: new Float64Array(bucketCount) };

/**
 * Histogram with an entry for every bucket, for recording and adding. Its memory is fixed, whereas the WebAssembly memory
 * of hdr-histogram-js grew during a run. Uses plain loops, because recovery of a long journal spends most of its time here.
 */
export class DenseHistogram {
  readonly #counts = new Float64Array(bucketCount);
  #from = bucketCount;
  #to = 0;

  /** Records whole microseconds, at most the maximum duration, and returns their bucket. */
  record(us: number): number {
    const index = indexOf(us);
    this.#change(index, 1);
    return index;
  }

  /** Records in a histogram of differences that a value in one bucket became one in another. */
  move(from: number, to: number): void {
    this.#change(from, -1);
    this.#change(to, 1);
  }

  #change(index: number, by: number): void {
    this.#counts[index] = (this.#counts[index] ?? 0) + by;
    if (index < this.#from) this.#from = index;
    if (index >= this.#to) this.#to = index + 1;
  }

  add(other: DenseHistogram): void {
    for (let index = other.#from; index < other.#to; index++)
      this.#counts[index] = (this.#counts[index] ?? 0) + (other.#counts[index] ?? 0);
    this.#from = Math.min(this.#from, other.#from);
    this.#to = Math.max(this.#to, other.#to);
  }

  addSparse({ indexes, counts }: SparseHistogram): void {
    for (let at = 0; at < indexes.length; at++) {
      const index = indexes[at] ?? 0;
      this.#counts[index] = (this.#counts[index] ?? 0) + (counts[at] ?? 0);
    }
    this.#from = Math.min(this.#from, indexes[0] ?? bucketCount);
    this.#to = Math.max(this.#to, (indexes.at(-1) ?? -1) + 1);
  }

  /** Returns the filled buckets: usually a few hundred of 23,000. */
  filled(): SparseHistogram {
    let [filled, total] = [0, 0];
    for (let index = this.#from; index < this.#to; index++) {
      const count = this.#counts[index] ?? 0;
      if (count === 0) continue;
      found.indexes[filled] = index;
      found.counts[filled++] = count;
      total += count;
    }
    return { indexes: found.indexes.slice(0, filled), counts: found.counts.slice(0, filled), total };
  }

  clear(): void {
    this.#counts.fill(0, this.#from, Math.max(this.#from, this.#to));
    this.#from = bucketCount;
    this.#to = 0;
  }
}

/** Pool of histograms, which intervals reuse because each takes 190 KB. */
export class HistogramPool {
  readonly #idle: DenseHistogram[] = [];
  size = 0;

  take(): DenseHistogram {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    this.size++;
    return new DenseHistogram();
  }

  /** Returns a histogram to the pool; it must not be used afterwards. */
  release(histogram: DenseHistogram): void {
    histogram.clear();
    this.#idle.push(histogram);
  }
}

const scratch = new DenseHistogram();

export function addSparse(parts: readonly SparseHistogram[]): SparseHistogram {
  for (const part of parts) scratch.addSparse(part);
  const sum = scratch.filled();
  scratch.clear();
  return sum;
}
