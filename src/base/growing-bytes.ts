import { isUtf8 } from 'node:buffer';

const smallestCapacity = 512;
const nothing = Buffer.alloc(0);

/** Bytes collected from parts of a buffer that is overwritten later. */
export class GrowingBytes {
  /** The appended bytes, up to `length`. */
  bytes: Buffer = nothing;
  length = 0;

  /** Makes room for a number of bytes in all, so that they are copied only once. */
  reserve(bytes: number): void {
    if (bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(bytes);
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Copies `from` up to `end`. The capacity doubles as needed, so that many small appends cost no more than one. */
  append(from: Buffer, start: number, end: number): void {
    const needed = this.length + end - start;
    if (needed > this.bytes.length) this.reserve(Math.max(needed, 2 * this.bytes.length, smallestCapacity));
    const { bytes, length } = this;
    // A call costs more than copying a few bytes.
    if (end - start > fewBytes) from.copy(bytes, length, start, end);
    else for (let at = start; at < end; at++) bytes[length + at - start] = from[at] ?? 0;
    this.length = needed;
  }

  /** Decodes the bytes as UTF-8; invalid sequences become U+FFFD. */
  text(): string {
    return this.bytes.toString('utf8', 0, this.length);
  }

  isUtf8(): boolean {
    return isUtf8(this.bytes.subarray(0, this.length));
  }

  /** Removes all bytes, and keeps a small buffer for the next ones. */
  empty(): void {
    if (this.bytes.length > maxKept) this.bytes = nothing;
    this.length = 0;
  }

  /** Removes all bytes and releases the memory: thousands of connections are idle at once. */
  free(): void {
    this.bytes = nothing;
    this.length = 0;
  }
}

const fewBytes = 48;
const maxKept = 16 * 1024;
