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

/** Number of values that a series keeps before it counts them. */
const kept = 64;

/**
 * A series during recording. Takes a histogram from the pool when it first counts. Counts many values at once: every turn records
 * in a dozen histograms of 190 KB, and one after the other they would not stay in the processor's cache.
 */
export class LiveSeries {
  #histogram: DenseHistogram | undefined;
  #sumUs = 0;
  #minUs = Infinity;
  #maxUs = 0;
  #clamped = 0;
  /** Changes of the counts by what values waited. */
  #shifts: DenseHistogram | undefined;
  readonly #pool: HistogramPool;
  /** Values that are not counted yet, in milliseconds: durations and waits in turn. */
  #uncounted: Float64Array | undefined;
  #filled = 0;

  constructor(pool: HistogramPool) {
    this.#pool = pool;
  }

  /**
   * Records a duration, rounded to whole microseconds; a negative one (a clock's jitter) counts as 0. `waitedMs`: the longest part of
   * it that may be a wait for the event loop; negative if its beginning waited longer than its end.
   */
  record(duration: Ms, waitedMs = 0): void {
    const uncounted = (this.#uncounted ??= new Float64Array(2 * kept));
    uncounted[this.#filled] = duration;
    uncounted[this.#filled + 1] = waitedMs;
    this.#filled += 2;
    if (this.#filled === uncounted.length) this.#countAll();
  }

  get isEmpty(): boolean {
    return this.#filled === 0 && this.#histogram === undefined;
  }

  absorb(other: LiveSeries): void {
    other.#countAll();
    if (other.#histogram === undefined) return;
    this.#countAll();
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
    this.#countAll();
    if (this.#histogram !== undefined) histogram.add(this.#histogram);
  }

  /** Exact figures, without the histogram; `Infinity` and 0 for an empty series. */
  get figures(): SeriesFigures {
    this.#countAll();
    return { sumUs: this.#sumUs, minUs: this.#minUs, maxUs: this.#maxUs };
  }

  /** Returns the stored form; `undefined` for an empty series. */
  store(): StoredSeries | undefined {
    this.#countAll();
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
    this.#filled = 0;
  }

  /** Counts the values that were kept, which every reading of the series needs. */
  #countAll(): void {
    const uncounted = this.#uncounted;
    if (uncounted === undefined || this.#filled === 0) return;
    const histogram = (this.#histogram ??= this.#pool.take());
    let [sumUs, minUs, maxUs] = [0, this.#minUs, this.#maxUs];
    for (let at = 0; at < this.#filled; at += 2) {
      let us = Math.round((uncounted[at] ?? 0) * 1000);
      if (us < 0) us = 0;
      else if (us > maxTrackableUs) {
        us = maxTrackableUs;
        this.#clamped++;
      }
      sumUs += us;
      if (us < minUs) minUs = us;
      if (us > maxUs) maxUs = us;
      const bucket = histogram.record(us);
      const waitedMs = uncounted[at + 1] ?? 0;
      if (waitedMs !== 0) this.#shift(bucket, us - waitedMs * 1000);
    }
    this.#sumUs += sumUs;
    [this.#minUs, this.#maxUs] = [minUs, maxUs];
    this.#filled = 0;
  }

  #shift(bucket: number, unwaitedUs: number): void {
    const unwaited = unwaitedUs <= 0 ? 0 : indexOf(Math.min(maxTrackableUs, Math.round(unwaitedUs)));
    const shifts = (this.#shifts ??= this.#pool.take());
    if (unwaited !== bucket) shifts.move(bucket, unwaited);
  }
}

const scratch = new DenseHistogram();

export function sumOfSeries(parts: readonly LiveSeries[]): SparseHistogram {
  for (const part of parts) part.addTo(scratch);
  const sum = scratch.filled();
  scratch.clear();
  return sum;
}
