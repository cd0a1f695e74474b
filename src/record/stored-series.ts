import { z } from 'zod';
import { addSparse, type DenseHistogram, type HistogramPool } from './dense-histogram.ts';
import { readSparse, type SparseHistogram } from './sparse-histogram.ts';
import { writeSparse, maxTrackableUs } from './histogram.ts';
import type { Ms } from '../base/time.ts';

const count = z.int().min(0);

/**
 * One series as it is kept: the histogram in its encoded form, and beside it the figures that a histogram gives only
 * approximately.
 */
export const storedSeriesSchema = z.object({
  /** Read from the histogram. */
  count: count.min(1),
  /** Exact, in microseconds. */
  sumUs: count,
  minUs: count,
  maxUs: count,
  /** How many values lay beyond the longest duration and were recorded as that. */
  clamped: count,
  /** HDR V2, compressed, base64. */
  hdr: z.string(),
});

export type StoredSeries = z.infer<typeof storedSeriesSchema>;

/**
 * The series that holds all values of its parts; `undefined` when there are none. Exact, and the same in any order.
 * Throws `UnreadableHistogram` when a part's is none of ours.
 */
export function mergeSeries(parts: readonly (StoredSeries | undefined)[]): StoredSeries | undefined {
  const [first, ...rest] = parts.filter((part) => part !== undefined);
  if (first === undefined || rest.length === 0) return first;
  const merged = { ...first };
  for (const part of rest) {
    merged.sumUs += part.sumUs;
    merged.minUs = Math.min(merged.minUs, part.minUs);
    merged.maxUs = Math.max(merged.maxUs, part.maxUs);
    merged.clamped += part.clamped;
  }
  const sum = addSparse([first, ...rest].map(({ hdr }) => readSparse(hdr)));
  return { ...merged, count: sum.total, hdr: writeSparse(sum) };
}

/** Exact, in whole microseconds. */
export interface SeriesFigures {
  sumUs: number;
  minUs: number;
  maxUs: number;
}

/** One series while it is being recorded. Borrows a histogram with its first value. */
export class LiveSeries {
  #histogram: DenseHistogram | undefined;
  #sumUs = 0;
  #minUs = Infinity;
  #maxUs = 0;
  #clamped = 0;
  readonly #pool: HistogramPool;

  constructor(pool: HistogramPool) {
    this.#pool = pool;
  }

  /** Records a duration, rounded to whole microseconds; a negative one (a clock's jitter) counts as 0. */
  record(duration: Ms): void {
    let us = Math.round(duration * 1000);
    if (us < 0) us = 0;
    else if (us > maxTrackableUs) {
      us = maxTrackableUs;
      this.#clamped++;
    }
    this.#sumUs += us;
    if (us < this.#minUs) this.#minUs = us;
    if (us > this.#maxUs) this.#maxUs = us;
    (this.#histogram ??= this.#pool.take()).record(us);
  }

  get isEmpty(): boolean {
    return this.#histogram === undefined;
  }

  /** Adds the values of another series. */
  absorb(other: LiveSeries): void {
    if (other.#histogram === undefined) return;
    (this.#histogram ??= this.#pool.take()).add(other.#histogram);
    this.#sumUs += other.#sumUs;
    this.#minUs = Math.min(this.#minUs, other.#minUs);
    this.#maxUs = Math.max(this.#maxUs, other.#maxUs);
    this.#clamped += other.#clamped;
  }

  /** Adds a series that was kept elsewhere, with the values that were read from it. */
  absorbStored({ sumUs, minUs, maxUs, clamped }: StoredSeries, values: SparseHistogram): void {
    (this.#histogram ??= this.#pool.take()).addSparse(values);
    this.#sumUs += sumUs;
    this.#minUs = Math.min(this.#minUs, minUs);
    this.#maxUs = Math.max(this.#maxUs, maxUs);
    this.#clamped += clamped;
  }

  /** Adds the counts alone to a histogram. */
  addTo(histogram: DenseHistogram): void {
    if (this.#histogram !== undefined) histogram.add(this.#histogram);
  }

  /** Its exact figures, without the histogram; of an empty one they are `Infinity` and 0. */
  get figures(): SeriesFigures {
    return { sumUs: this.#sumUs, minUs: this.#minUs, maxUs: this.#maxUs };
  }

  /** The series as it is kept; `undefined` when it is empty. */
  store(): StoredSeries | undefined {
    if (this.#histogram === undefined) return undefined;
    const filled = this.#histogram.filled();
    return {
      count: filled.total,
      sumUs: this.#sumUs,
      minUs: this.#minUs,
      maxUs: this.#maxUs,
      clamped: this.#clamped,
      hdr: writeSparse(filled),
    };
  }

  /** Gives the histogram back; the series must not be used afterwards. */
  release(): void {
    if (this.#histogram !== undefined) this.#pool.give(this.#histogram);
    this.#histogram = undefined;
  }
}
