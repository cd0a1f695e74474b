/** A line of a file, without its end. */
export interface Line {
  /** From 1. */
  number: number;
  /** In the file. */
  offset: number;
  /** Valid until the next chunk; `undefined`: it is longer than lines may be. */
  bytes: Buffer | undefined;
  /** The file ended before the line did. */
  isLast: boolean;
}

/** A text of JSON must fit into one string. */
export const mostLineBytes = 256 * 1024 * 1024;

const newline = 10;
const carriageReturn = 13;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Splits what comes in chunks into lines, and keeps no more than one of them. */
export class LineSplitter {
  readonly #take: (line: Line) => void;
  readonly #most: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #number = 1;
  #offset = 0;

  constructor(take: (line: Line) => void, most = mostLineBytes) {
    this.#take = take;
    this.#most = most;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      this.#give(chunk.subarray(from, end), false);
      this.#offset += 1;
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  end(): void {
    if (this.#held > 0) this.#give(Buffer.alloc(0), true);
  }

  #hold(piece: Buffer): void {
    this.#held += piece.length;
    if (this.#held > this.#most) this.#pieces = [];
    // A copy: the chunk is read into again.
    else this.#pieces.push(Buffer.from(piece));
  }

  #give(rest: Buffer, isLast: boolean): void {
    const length = this.#held + rest.length;
    const isTooLong = length > this.#most;
    const whole = this.#held === 0 ? rest : isTooLong ? rest : Buffer.concat([...this.#pieces, rest], length);
    const start = this.#number === 1 && whole.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    const end = whole.at(-1) === carriageReturn ? whole.length - 1 : whole.length;
    const bytes = isTooLong ? undefined : whole.subarray(start, Math.max(start, end));
    this.#take({ number: this.#number, offset: this.#offset + start, bytes, isLast });
    this.#offset += length;
    this.#number += 1;
    this.#pieces = [];
    this.#held = 0;
  }
}
