import { bucketCount, indexOf, type SparseHistogram } from './sparse-histogram.ts';

/** Room for the buckets of one histogram at a time: what is returned is a copy of its own size. */
const found = { indexes: new Int32Array(bucketCount), counts: new Float64Array(bucketCount) };

/**
 * A histogram with a place for every bucket, to record into and to add up in. Its memory is fixed; that of the library's
 * WebAssembly grew in the course of a run. In plain loops, since recovering the journal of a night spends most of its
 * time.
 */
export class DenseHistogram {
  readonly #counts = new Float64Array(bucketCount);
  /** Below the first and from the second on, all is empty. */
  #from = bucketCount;
  #to = 0;

  /** Whole microseconds, at most the longest duration. */
  record(us: number): void {
    const index = indexOf(us);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
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
    for (let place = 0; place < indexes.length; place++) {
      const index = indexes[place] ?? 0;
      this.#counts[index] = (this.#counts[index] ?? 0) + (counts[place] ?? 0);
    }
    this.#from = Math.min(this.#from, indexes[0] ?? bucketCount);
    this.#to = Math.max(this.#to, (indexes.at(-1) ?? -1) + 1);
  }

  /** Some hundreds of 23,000 buckets, as a rule. */
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

/** Empty between two sums. */
const scratch = new DenseHistogram();

/** The sum of histograms. */
export function addSparse(parts: readonly SparseHistogram[]): SparseHistogram {
  for (const part of parts) scratch.addSparse(part);
  const sum = scratch.filled();
  scratch.clear();
  return sum;
}
