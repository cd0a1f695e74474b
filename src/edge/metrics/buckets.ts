import { highestOf, type SparseHistogram } from '../../record/sparse-histogram.ts';

/**
 * Returns the counts of a histogram between fixed bounds: up to the first one, between each and the next, above the
 * last. A bucket of the histogram is assigned by its highest value, so that no value appears faster than it was: a
 * value less than 0.1 % below a bound may be counted above it.
 */
export function explicitCounts(
  { indexes, counts }: SparseHistogram,
  { maxUs, boundaries }: { maxUs: number; boundaries: readonly number[] },
): number[] {
  const boundsUs = boundaries.map((seconds) => Math.round(seconds * 1e6));
  const filled = new Array<number>(boundsUs.length + 1).fill(0);
  let index = 0;
  for (let at = 0; at < indexes.length; at++) {
    const us = Math.min(maxUs, highestOf(indexes[at] ?? 0));
    while (us > (boundsUs[index] ?? Infinity)) index++;
    filled[index] = (filled[index] ?? 0) + (counts[at] ?? 0);
  }
  return filled;
}

/** Buckets of an exponential histogram in seconds: number `offset + i` ends at 2^((offset + i + 1) / 2^scale). */
interface ExponentialBuckets {
  scale: number;
  /** Values below half a microsecond. */
  zeroCount: number;
  offset: number;
  bucketCounts: number[];
}

/** Prometheus has no finer native histograms. */
const finestScale = 8;
/** The limit of OpenTelemetry's SDKs. */
const maxBuckets = 160;

/**
 * Returns the values in exponential buckets, as fine as at most 160 buckets allow. A bucket of the histogram, which is
 * at most 0.1 % wide, is assigned by its highest value, so that no value appears faster than it was.
 */
export function exponentialBuckets({ indexes, counts }: SparseHistogram, maxUs: number): ExponentialBuckets {
  const highest = Array.from(indexes, (index) => Math.min(maxUs, highestOf(index)));
  const isZero = highest[0] === 0;
  const above = isZero ? highest.slice(1) : highest;
  const [min, max] = [above[0], above.at(-1)];
  const zeroCount = isZero ? (counts[0] ?? 0) : 0;
  if (min === undefined || max === undefined) return { scale: finestScale, zeroCount, offset: 0, bucketCounts: [] };
  let scale = finestScale;
  while (bucketOf(max, scale) - bucketOf(min, scale) >= maxBuckets) scale--;
  const offset = bucketOf(min, scale);
  const bucketCounts = new Array<number>(bucketOf(max, scale) - offset + 1).fill(0);
  const first = isZero ? 1 : 0;
  for (const [at, us] of above.entries()) {
    const index = bucketOf(us, scale) - offset;
    bucketCounts[index] = (bucketCounts[index] ?? 0) + (counts[first + at] ?? 0);
  }
  return { scale, zeroCount, offset, bucketCounts };
}

/** Returns the index of a bucket, whose upper end is inclusive. */
const bucketOf = (us: number, scale: number): number => Math.ceil(Math.log2(us / 1e6) * 2 ** scale) - 1;
