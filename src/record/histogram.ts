import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import { lowestOf, type SparseHistogram } from './sparse-histogram.ts';

/** The longest duration that a histogram distinguishes, in microseconds: one hour. Longer ones are recorded as this. */
export const longestUs = 3_600_000_000;

/** How histograms are laid out; part of the published format, since only like layouts can be merged. */
export const layout = {
  lowestDiscernibleValue: 1,
  highestTrackableValue: longestUs,
  numberOfSignificantValueDigits: 3,
  /** 64-bit counts: no soak is long enough to overflow one. */
  bitBucketSize: 64,
  autoResize: false,
} as const;

/** A histogram of the library's. */
export function emptyHistogram(): Histogram {
  return build({ ...layout, useWebAssembly: false });
}

/** The HDR V2 form, compressed and in base64, as snapshots and results hold it. Like counts give like text. */
export function encodeHistogram(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram);
}

/** The histogram behind an encoded form. */
export function decodeHistogram(hdr: string): Histogram {
  return decodeFromCompressedBase64(hdr, layout.bitBucketSize);
}

/** A quantile, in milliseconds: within its bucket the values are taken to be spread evenly. */
export function quantileOf(histogram: SparseHistogram, quantile: number): number {
  const { bucket, fraction } = locateQuantile(histogram, quantile);
  const low = lowestOf(bucket);
  const us = low + fraction * (lowestOf(bucket + 1) - low);
  // A value of 0 µs means anything below half a microsecond, and needs a logarithm.
  return Math.max(us, 0.5) / 1000;
}

/** The bucket of a quantile, and the part of its values below it. */
export function locateQuantile(
  { indexes, counts, total }: SparseHistogram,
  quantile: number,
): { bucket: number; fraction: number } {
  let rest = quantile * total;
  for (let at = 0; at < indexes.length; at++) {
    const count = counts[at] ?? 0;
    if (rest <= count || at === indexes.length - 1)
      return { bucket: indexes[at] ?? 0, fraction: Math.min(1, rest / count) };
    rest -= count;
  }
  throw new Error('a histogram without values has no quantile');
}
