import { deflateSync, inflateSync } from 'node:zlib';
import { emptyHistogram, encodeHistogram } from './histogram.ts';
import { chunkSize, type SparseHistogram } from './sparse-histogram.ts';

/**
 * The encoded form of a histogram of which the filled buckets are given, byte for byte as `encodeHistogram` writes it,
 * without laying it out: what `readSparse` reads.
 */
export function writeSparse({ indexes, counts }: Omit<SparseHistogram, 'total'>): string {
  if (indexes.length === 0) return encodeHistogram(emptyHistogram());
  // A number takes at most nine bytes, and before each bucket there may be a run of empty ones.
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

/** LEB128 of up to nine bytes, the last of which is whole. */
function writeWord(bytes: Buffer, at: number, word: number): number {
  let [end, left] = [at, word];
  for (let taken = 1; left > 0x7f && taken < 9; taken++) {
    bytes[end++] = (left % 128) + 128;
    left = Math.floor(left / 128);
  }
  bytes[end++] = left;
  return end;
}

/** What comes before the counts is the same for all histograms of our layout: the library's own is taken. */
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
