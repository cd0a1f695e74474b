import { constants, deflateRawSync } from 'node:zlib';

/**
 * Returns a short histogram that inflates to about `bytes` bytes, each a bucket with one value. Its head declares only
 * `declared` bytes if set.
 */
export function inflatingHdr(bytes: number, declared = bytes): string {
  return hdrOf(declared, new Array<Buffer>(Math.ceil(bytes / million.length)).fill(million));
}

/** A small text of a histogram with one value in each of its buckets, which are all that the layout has. */
export function fullHdr(): string {
  return hdrOf(bucketCount, [Buffer.alloc(bucketCount, oneValue)]);
}

export const bucketCount = 23 * 1024;

/** JSON of arrays within arrays. */
export function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** HDR V2, compressed, base64. A piece is deflated by itself, so that what inflates to a GB is never held as a whole. */
function hdrOf(payloadBytes: number, payload: readonly Buffer[]): string {
  const plain = [plainHead(payloadBytes), ...payload];
  const end = Buffer.alloc(4);
  end.writeUInt32BE(adlerOf(plain));
  const zlib = Buffer.concat([Buffer.from('78da', 'hex'), ...plain.map(deflated), deflateRawSync(''), end]);
  const head = Buffer.alloc(8);
  head.writeInt32BE(0x1c849314, 0);
  head.writeInt32BE(zlib.length, 4);
  return Buffer.concat([head, zlib]).toString('base64');
}

function plainHead(payloadBytes: number): Buffer {
  const head = Buffer.alloc(40);
  head.writeInt32BE(0x1c849313, 0);
  head.writeInt32BE(payloadBytes, 4);
  head.writeInt32BE(3, 12);
  head.writeBigInt64BE(1n, 16);
  head.writeBigInt64BE(3_600_000_000n, 24);
  return head;
}

const oneValue = 2;
const million = Buffer.alloc(2 ** 20, oneValue);
/** Ends on a whole byte, and without the mark of the last block: more may follow. */
const flushed = (bytes: Buffer): Buffer => deflateRawSync(bytes, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
const flushedMillion = flushed(million);
const deflated = (piece: Buffer): Buffer => (piece === million ? flushedMillion : flushed(piece));

/** Adler-32, the checksum at the end of a zlib stream. */
function adlerOf(pieces: readonly Buffer[]): number {
  let [low, high] = [1, 0];
  for (const piece of pieces)
    if (piece === million) {
      high = (high + piece.length * low + (oneValue * piece.length * (piece.length + 1)) / 2) % 65_521;
      low = (low + oneValue * piece.length) % 65_521;
    } else
      for (const byte of piece) {
        low = (low + byte) % 65_521;
        high = (high + low) % 65_521;
      }
  return high * 65_536 + low;
}
