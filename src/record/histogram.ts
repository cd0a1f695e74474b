import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  initWebAssembly,
  initWebAssemblySync,
  type Histogram,
} from 'hdr-histogram-js';

/** The longest duration that a histogram tells apart, in microseconds: one hour. Longer ones are recorded as this. */
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

/** Compiles the WebAssembly behind live histograms ahead of time, which otherwise delays the first of them by some milliseconds. */
export const loadHistograms = (): Promise<void> => initWebAssembly();

/** A histogram to record into: WebAssembly, 20 ns a value. It has to be destroyed by hand. */
export function liveHistogram(): Histogram {
  initWebAssemblySync();
  return build({ ...layout, useWebAssembly: true });
}

/** A histogram on the JavaScript heap: slower to record into, and nothing has to be destroyed. */
export const emptyHistogram = (): Histogram => build({ ...layout, useWebAssembly: false });

/** The HDR V2 form, compressed and in base64, as snapshots and results hold it. Like counts give like text. */
export const encodeHistogram = (histogram: Histogram): string => encodeIntoCompressedBase64(histogram);

/** The histogram behind an encoded form. It lives on the JavaScript heap: nothing has to be destroyed. */
export const decodeHistogram = (hdr: string): Histogram => decodeFromCompressedBase64(hdr, layout.bitBucketSize);
