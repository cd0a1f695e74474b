import { longestRecord } from './record.ts';

/** The bytes of a record whose end has not been seen yet; those of one that is too long are counted and not kept. */
export class LongBytes {
  length = 0;
  #parts: Buffer[] = [];

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > longestRecord) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  get isTooLong(): boolean {
    return this.length > longestRecord;
  }

  /** What was added, from the first byte on; it is empty then. */
  take(): Buffer {
    const [only] = this.#parts;
    const whole = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.length = 0;
    return whole;
  }
}
