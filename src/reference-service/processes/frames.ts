/** No text: `undefined` where a text may be missing. */
const noText = 0xffff_ffff;

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

/** Reads the fields of one frame in the order in which they were written. */
export class FrameReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  whole(): number {
    const value = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  real(): number {
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  text(): string | undefined {
    const length = this.whole();
    if (length === noText) return undefined;
    const from = this.#at;
    this.#at += length;
    return this.#bytes.toString('utf8', from, this.#at);
  }
}

/** Cuts a stream of bytes, in whatever pieces it comes, into frames; `read` is given each. The pieces may be overwritten after. */
export function frameSplitter(read: (frame: FrameReader) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = [];
  let held = 0;
  // Bytes needed until the next frame, or its length, is complete.
  let wanted = 4;
  return (chunk) => {
    held += chunk.length;
    if (held < wanted) return void rest.push(Buffer.from(chunk));
    const bytes = rest.length === 0 ? chunk : Buffer.concat([...rest, chunk]);
    let at = 0;
    wanted = 4;
    while (bytes.length - at >= 4) {
      const end = at + 4 + bytes.readUInt32LE(at);
      if (end > bytes.length) {
        wanted = end - at;
        break;
      }
      read(new FrameReader(bytes, at + 4));
      at = end;
    }
    rest = at === bytes.length ? [] : [Buffer.from(bytes.subarray(at))];
    held = bytes.length - at;
  };
}
