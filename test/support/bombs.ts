import { deflateSync } from 'node:zlib';

const withHead = (cookie: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeInt32BE(cookie, 0);
  head.writeInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
};

/** Encoded form of a histogram of the right layout whose counts are `payload`. */
export function hdrOf(payload: Buffer): string {
  const plain = Buffer.alloc(40);
  plain.writeInt32BE(0x1c849313, 0);
  plain.writeInt32BE(payload.length, 4);
  plain.writeInt32BE(3, 12);
  plain.writeBigInt64BE(1n, 16);
  plain.writeBigInt64BE(3_600_000_000n, 24);
  return withHead(0x1c849314, deflateSync(Buffer.concat([plain, payload]), { level: 9 })).toString('base64');
}

/** A small text that inflates to `bytes` bytes, all of them empty buckets. */
export const inflatingHdr = (bytes: number): string => hdrOf(Buffer.alloc(bytes));

/** JSON of arrays within arrays. */
export const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
