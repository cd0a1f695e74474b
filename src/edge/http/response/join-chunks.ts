const carriageReturn = 13;
const lineFeed = 10;
/** Longer sizes, and chunk extensions, are left to the slow path. */
const maxDigits = 5;

/**
 * Joins the chunks of a complete body between `start` and `end`, in place, and returns the end of the joined body.
 * Returns -1, with nothing moved, for anything but plain chunks to the very end, with no extension and no trailer, of
 * at most `maxBytes` in all.
 */
export function joinChunks(bytes: Buffer, start: number, { end, maxBytes }: { end: number; maxBytes: number }): number {
  const joined = walkChunks(bytes, start, { end, move: false });
  if (joined === -1 || joined - start > maxBytes) return -1;
  return walkChunks(bytes, start, { end, move: true });
}

/** Returns the chunk at `start` if it is complete before `end`, plain, and not the last one. */
export function plainChunk(bytes: Buffer, start: number, end: number): { start: number; size: number } | undefined {
  const digitsEnd = skipDigits(bytes, start);
  if (digitsEnd === -1 || !isLineBreak(bytes, digitsEnd)) return undefined;
  const size = readSize(bytes, start, digitsEnd);
  const from = digitsEnd + 2;
  // Bytes after `end` remain from an earlier read.
  const isWhole = size > 0 && from + size + 2 <= end && isLineBreak(bytes, from + size);
  return isWhole ? { start: from, size } : undefined;
}

/** Returns the end of the body with its chunks joined; `move`: joins them. */
function walkChunks(bytes: Buffer, start: number, { end, move }: { end: number; move: boolean }): number {
  let at = start;
  let joined = start;
  for (;;) {
    const digitsEnd = skipDigits(bytes, at);
    const size = digitsEnd === -1 || !isLineBreak(bytes, digitsEnd) ? -1 : readSize(bytes, at, digitsEnd);
    const from = digitsEnd + 2;
    // Bytes after `end` remain from an earlier read.
    if (size === -1 || from + size + 2 > end || !isLineBreak(bytes, from + size)) return -1;
    if (size === 0) return from + 2 === end ? joined : -1;
    if (move) bytes.copyWithin(joined, from, from + size);
    joined += size;
    at = from + size + 2;
  }
}

const isLineBreak = (bytes: Buffer, at: number): boolean => bytes[at] === carriageReturn && bytes[at + 1] === lineFeed;

/** Returns the end of the digits at `start`, -1 if there are none or too many. */
function skipDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (digitOf(bytes[at]) !== -1) at++;
  return at === start || at - start > maxDigits ? -1 : at;
}

function readSize(bytes: Buffer, start: number, end: number): number {
  let size = 0;
  for (let at = start; at < end; at++) size = size * 16 + digitOf(bytes[at]);
  return size;
}

/** Returns the value of a hexadecimal digit, -1 for any other byte. */
function digitOf(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
