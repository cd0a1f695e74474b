import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

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
