import { deflateSync } from 'node:zlib';
import { bucketCount } from '../../src/record/sparse-histogram.ts';
import { maxTrackableUs } from '../../src/record/histogram.ts';

const counts = new Float64Array(bucketCount);

/**
 * The published form of a histogram of these values (whole microseconds), some ten times as fast as recording them into
 * one: for those who need some hundred thousand histograms. HDR V2 as HdrHistogram writes it, deflated without effort.
 */
export function encodeValues(values: readonly number[]): string {
  const indexes = Int32Array.from(countByBucket(values)).sort();
  const payload: number[] = [];
  let next = 0;
  for (const index of indexes) {
    // Zigzag: 2n for a count, 2n - 1 for n empty buckets.
    if (index > next) pushVarint(payload, 2 * (index - next) - 1);
    pushVarint(payload, 2 * (counts[index] ?? 0));
    counts[index] = 0;
    next = index + 1;
  }
  const packed = deflateSync(Buffer.concat([headOf(payload.length), Buffer.from(payload)]), { level: 1, memLevel: 1 });
  const cookie = Buffer.alloc(8);
  cookie.writeInt32BE(0x1c849314, 0);
  cookie.writeInt32BE(packed.length, 4);
  return Buffer.concat([cookie, packed]).toString('base64');
}

/** Counts the values, and lists the buckets that have one. */
function countByBucket(values: readonly number[]): number[] {
  const touched: number[] = [];
  for (const us of values) {
    // 2,048 buckets of a microsecond; from there on 1,024 for each doubling.
    const doublings = Math.max(0, 21 - Math.clz32(us));
    const bucket = doublings * 1024 + (us >> doublings);
    const before = counts[bucket] ?? 0;
    if (before === 0) touched.push(bucket);
    counts[bucket] = before + 1;
  }
  return touched;
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}

function headOf(payloadLength: number): Buffer {
  const head = Buffer.alloc(40);
  head.writeInt32BE(0x1c849313, 0);
  head.writeInt32BE(payloadLength, 4);
  head.writeInt32BE(3, 12);
  head.writeBigInt64BE(1n, 16);
  head.writeBigInt64BE(BigInt(maxTrackableUs), 24);
  head.writeDoubleBE(1, 32);
  return head;
}
