import { formatCount } from '../../../base/format.ts';

const newline = 0x0a;

/** Bytes of the line that names the columns. The parser takes long over a first line: it looks for the kind of its end at every byte. */
const mostHeaderBytes = 1024 ** 2;

/** Cells in a line: the parser holds all cells of a row. */
const mostCells = 1_000_000;

/** Checks the bytes of a table before a parser receives them. Both limits hold for lines, quoted or not. */
export class TableBounds {
  readonly #separator: number;
  #line = 1;
  #cells = 1;
  #headerBytes = 0;

  constructor(delimiter: string) {
    this.#separator = delimiter.charCodeAt(0);
  }

  /** Throws an error that names the limit and the line. */
  check(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (byte === newline) {
        this.#line += 1;
        this.#cells = 1;
      } else if (byte === this.#separator && ++this.#cells > mostCells)
        throw new Error(`line ${String(this.#line)} has more than ${formatCount(mostCells)} cells`);
      if (this.#line === 1 && ++this.#headerBytes > mostHeaderBytes)
        throw new Error('its first line has more than 1 MB, and it should name the columns');
    }
  }
}
