import { noText } from './frame-writer.ts';

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
