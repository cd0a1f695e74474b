import { isUtf8 } from 'node:buffer';

const smallestCapacity = 1024;

/** Collects the bytes of a body that arrive piece by piece from a read buffer that is overwritten by the next read. */
export class BodyBytes {
  #kept = Buffer.alloc(0);
  #size = 0;

  get length(): number {
    return this.#size;
  }

  /** Reserves a declared number of bytes at once, so that the body is copied only once. */
  expect(bytes: number): void {
    if (bytes > this.#kept.length) this.#grow(bytes);
  }

  /** Copies `piece`. */
  append(piece: Uint8Array): void {
    const needed = this.#size + piece.length;
    if (needed > this.#kept.length) this.#grow(needed);
    this.#kept.set(piece, this.#size);
    this.#size = needed;
  }

  /** What was collected, decoded as UTF-8; invalid sequences become U+FFFD. */
  text(): string {
    return this.#kept.toString('utf8', 0, this.#size);
  }

  isUtf8(): boolean {
    return isUtf8(this.#kept.subarray(0, this.#size));
  }

  /** Frees everything, the memory too: thousands of connections are idle at once. */
  clear(): void {
    this.#kept = Buffer.alloc(0);
    this.#size = 0;
  }

  /** Doubles, so that a body in many pieces costs no more than one that arrives at once. */
  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#kept.length, smallestCapacity));
    larger.set(this.#kept.subarray(0, this.#size));
    this.#kept = larger;
  }
}
