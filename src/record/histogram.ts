import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import { lowestOf, type SparseHistogram, chunkSize } from './sparse-histogram.ts';
import { deflateSync, inflateSync } from 'node:zlib';

/** Maximum duration that a histogram distinguishes, in microseconds: one hour. Longer ones are recorded as this value. */
export const maxTrackableUs = 3_600_000_000;

/** Layout of histograms; part of the published format, since only equal layouts can be merged. */
export const layout = {
  lowestDiscernibleValue: 1,
  highestTrackableValue: maxTrackableUs,
  numberOfSignificantValueDigits: 3,
  /** 64-bit counts, which no soak test can overflow. */
  bitBucketSize: 64,
  autoResize: false,
} as const;

const emptyHistogram = (): Histogram => build({ ...layout, useWebAssembly: false });

/** Encodes a histogram as in snapshots and results: HDR V2, compressed, base64. Equal counts yield equal text. */
export function encodeHistogram(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram);
}

export function decodeHistogram(hdr: string): Histogram {
  return decodeFromCompressedBase64(hdr, layout.bitBucketSize);
}

/** Returns a quantile in milliseconds, assuming that the values are spread evenly within its bucket. */
export function quantileOf(histogram: SparseHistogram, quantile: number): number {
  const { bucket, fraction } = locateQuantile(histogram, quantile);
  const low = lowestOf(bucket);
  const us = low + fraction * (lowestOf(bucket + 1) - low);
  // A value of 0 µs means anything below half a microsecond, and needs a logarithm.
  return Math.max(us, 0.5) / 1000;
}

/** Returns the bucket of a quantile, and the share of the bucket's values below it. */
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

/** Encodes filled buckets, byte for byte like `encodeHistogram`, without allocating the whole histogram. */
export function writeSparse({ indexes, counts }: Omit<SparseHistogram, 'total'>): string {
  if (indexes.length === 0) return encodeHistogram(emptyHistogram());
  // A number takes at most nine bytes, and a run of empty buckets may precede each bucket.
  const bytes = Buffer.allocUnsafe(headBytes + indexes.length * 18);
  headOf().copy(bytes);
  let [at, next] = [headBytes, 0];
  for (let place = 0; place < indexes.length; place++) {
    const index = indexes[place] ?? 0;
    const empty = index - next;
    if (empty > 0) at = writeWord(bytes, at, empty === 1 ? 0 : empty * 2 - 1);
    at = writeWord(bytes, at, (counts[place] ?? 0) * 2);
    next = index + 1;
  }
  bytes.writeInt32BE(at - headBytes, payloadLengthAt);
  return pack(bytes.subarray(0, at));
}

const headBytes = 40;
const payloadLengthAt = 4;
const packedHeadBytes = 8;

/** Writes LEB128 of up to nine bytes; the ninth has no continuation bit. */
function writeWord(bytes: Buffer, at: number, word: number): number {
  let [end, left] = [at, word];
  for (let taken = 1; left > 0x7f && taken < 9; taken++) {
    bytes[end++] = (left % 128) + 128;
    left = Math.floor(left / 128);
  }
  bytes[end++] = left;
  return end;
}

/** Header before the counts, equal for all histograms of this layout: copied from the library's output. */
let packedEmpty: Buffer | undefined;
const emptyForm = (): Buffer => (packedEmpty ??= Buffer.from(encodeHistogram(emptyHistogram()), 'base64'));

let head: Buffer | undefined;
const headOf = (): Buffer => (head ??= inflateSync(emptyForm().subarray(packedHeadBytes)).subarray(0, headBytes));

function pack(plain: Buffer): string {
  const deflated = deflateSync(plain, { chunkSize });
  const lead = Buffer.from(emptyForm().subarray(0, packedHeadBytes));
  lead.writeInt32BE(deflated.length, packedHeadBytes - 4);
  return Buffer.concat([lead, deflated]).toString('base64');
}
