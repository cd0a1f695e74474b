/** No text: `undefined` where a text may be missing. */
export const noText = 0xffff_ffff;

/** Gathers frames: four bytes of length, then what is written between `begin` and `end`. */
export class FrameWriter {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #used = 0;
  #startedAt = 0;

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  begin(kind: number, id: number): void {
    this.#startedAt = this.#used;
    this.#used += 4;
    this.byte(kind);
    this.whole(id);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#used = this.#bytes.writeUInt8(value, this.#used);
  }

  whole(value: number): void {
    this.#reserve(4);
    this.#used = this.#bytes.writeUInt32LE(value, this.#used);
  }

  real(value: number): void {
    this.#reserve(8);
    this.#used = this.#bytes.writeDoubleLE(value, this.#used);
  }

  text(value: string | undefined): void {
    if (value === undefined) return this.whole(noText);
    // UTF-8 takes at most three bytes a unit of a string.
    this.#reserve(4 + 3 * value.length);
    const length = this.#bytes.write(value, this.#used + 4);
    this.#bytes.writeUInt32LE(length, this.#used);
    this.#used += 4 + length;
  }

  end(): void {
    this.#bytes.writeUInt32LE(this.#used - this.#startedAt - 4, this.#startedAt);
  }

  /** The frames so far, which begin anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#used));
    this.#used = 0;
    return taken;
  }

  /** Four bytes beyond stay free: for the length of the next frame. */
  #reserve(bytes: number): void {
    if (this.#used + bytes + 4 <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#used + bytes + 4));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
