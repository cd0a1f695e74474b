import { z } from 'zod';
import { addSparse, DenseHistogram, type HistogramPool } from './dense-histogram.ts';
import { indexOf, readSparse, type SparseHistogram } from './sparse-histogram.ts';
import { writeSparse, maxTrackableUs } from './histogram.ts';
import { mergeShifts, readShifts, storedShiftsSchema, storeShifts } from './shifts.ts';
import type { Ms } from '../base/time.ts';

const count = z.int().min(0);

/** A stored series: the encoded histogram, and the figures that a histogram contains only approximately. */
export const storedSeriesSchema = z.object({
  count: count.min(1),
  sumUs: count,
  minUs: count,
  maxUs: count,
  /** Number of values above the maximum duration, which are recorded as the maximum. */
  clamped: count,
  hdr: z.string(),
  /** Set if values waited for the event loop. */
  shifts: storedShiftsSchema.optional(),
});

export type StoredSeries = z.infer<typeof storedSeriesSchema>;

/**
 * Merges all values of the parts; `undefined` if there are none. Exact and independent of the order. Throws
 * `UnreadableHistogram` if a part's histogram is not valid.
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
  const shifts = mergeShifts([first, ...rest].map((part) => part.shifts));
  return { ...merged, count: sum.total, hdr: writeSparse(sum), ...(shifts && { shifts }) };
}

/** Exact figures, in whole microseconds. */
export interface SeriesFigures {
  sumUs: number;
  minUs: number;
  maxUs: number;
}

/** A series during recording. Takes a histogram from the pool with its first value. */
export class LiveSeries {
  #histogram: DenseHistogram | undefined;
  #sumUs = 0;
  #minUs = Infinity;
  #maxUs = 0;
  #clamped = 0;
  /** Changes of the counts by what values waited. */
  #shifts: DenseHistogram | undefined;
  readonly #pool: HistogramPool;

  constructor(pool: HistogramPool) {
    this.#pool = pool;
  }

  /**
   * Records a duration, rounded to whole microseconds; a negative one (a clock's jitter) counts as 0. `waitedMs`: the longest part of
   * it that may be a wait for the event loop; negative if its beginning waited longer than its end.
   */
  record(duration: Ms, waitedMs = 0): void {
    let us = Math.round(duration * 1000);
    if (us < 0) us = 0;
    else if (us > maxTrackableUs) {
      us = maxTrackableUs;
      this.#clamped++;
    }
    this.#sumUs += us;
    if (us < this.#minUs) this.#minUs = us;
    if (us > this.#maxUs) this.#maxUs = us;
    const bucket = (this.#histogram ??= this.#pool.take()).record(us);
    if (waitedMs !== 0) this.#shift(bucket, us - waitedMs * 1000);
  }

  /** Apart, so that recording a value, which every turn does several times, is compiled into its callers. */
  #shift(bucket: number, unwaitedUs: number): void {
    const unwaited = unwaitedUs <= 0 ? 0 : indexOf(Math.min(maxTrackableUs, Math.round(unwaitedUs)));
    const shifts = (this.#shifts ??= this.#pool.take());
    if (unwaited !== bucket) shifts.move(bucket, unwaited);
  }

  get isEmpty(): boolean {
    return this.#histogram === undefined;
  }

  absorb(other: LiveSeries): void {
    if (other.#histogram === undefined) return;
    (this.#histogram ??= this.#pool.take()).add(other.#histogram);
    if (other.#shifts !== undefined) (this.#shifts ??= this.#pool.take()).add(other.#shifts);
    this.#absorbFigures({ ...other.figures, clamped: other.#clamped });
  }

  /** Adds a stored series, with its decoded values and shifts that can be read. */
  absorbStored(stored: StoredSeries, values: SparseHistogram): void {
    if (stored.shifts !== undefined) (this.#shifts ??= this.#pool.take()).addSparse(readShifts(stored.shifts));
    (this.#histogram ??= this.#pool.take()).addSparse(values);
    this.#absorbFigures(stored);
  }

  #absorbFigures({ sumUs, minUs, maxUs, clamped }: SeriesFigures & { clamped: number }): void {
    this.#sumUs += sumUs;
    this.#minUs = Math.min(this.#minUs, minUs);
    this.#maxUs = Math.max(this.#maxUs, maxUs);
    this.#clamped += clamped;
  }

  addTo(histogram: DenseHistogram): void {
    if (this.#histogram !== undefined) histogram.add(this.#histogram);
  }

  /** Exact figures, without the histogram; `Infinity` and 0 for an empty series. */
  get figures(): SeriesFigures {
    return { sumUs: this.#sumUs, minUs: this.#minUs, maxUs: this.#maxUs };
  }

  /** Returns the stored form; `undefined` for an empty series. */
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
      ...(this.#shifts && { shifts: storeShifts(this.#shifts.filled()) }),
    };
  }

  /** Returns the histogram to the pool; the series must not be used afterwards. */
  release(): void {
    for (const histogram of [this.#histogram, this.#shifts]) if (histogram !== undefined) this.#pool.release(histogram);
    this.#histogram = undefined;
    this.#shifts = undefined;
  }
}

const scratch = new DenseHistogram();

export function sumOfSeries(parts: readonly LiveSeries[]): SparseHistogram {
  for (const part of parts) part.addTo(scratch);
  const sum = scratch.filled();
  scratch.clear();
  return sum;
}
