const smallestCapacity = 512;
const nothing = Buffer.alloc(0);

/** Bytes that are put together from pieces, in one buffer that is used again. */
export class GrowingBytes {
  bytes: Buffer = nothing;
  length = 0;

  /** Copies `from` up to `end`. */
  append(from: Buffer, start: number, end: number): void {
    const needed = this.length + end - start;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length, smallestCapacity));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    from.copy(this.bytes, this.length, start, end);
    this.length = needed;
  }

  /** Empties it; a large buffer is given back. */
  clear(): void {
    if (this.bytes.length > mostKept) this.bytes = nothing;
    this.length = 0;
  }
}

/** Thousands of streams are open at once. */
const mostKept = 16 * 1024;
