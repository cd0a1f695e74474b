import { writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { trailerOf } from './trailer.ts';

const blockRecords = 4096;

/** Writes an index: records of one size, and behind them what is said of all. */
export class IndexWriter {
  count = 0;
  readonly #file: number;
  readonly #recordBytes: number;
  readonly #block: Buffer;
  #used = 0;
  #crc = 0;

  /** The file is open and empty. */
  constructor(file: number, recordBytes: number) {
    this.#file = file;
    this.#recordBytes = recordBytes;
    this.#block = Buffer.alloc(blockRecords * recordBytes);
  }

  /** `fill` writes a record from an offset in a buffer on. */
  add(fill: (block: Buffer, offset: number) => void): void {
    if (this.#used === this.#block.length) this.#flush();
    fill(this.#block, this.#used);
    this.#used += this.#recordBytes;
    this.count += 1;
  }

  finish(header: unknown): void {
    this.#flush();
    writeWhole(this.#file, trailerOf({ header, recordBytes: this.#recordBytes, count: this.count, crc: this.#crc }));
  }

  #flush(): void {
    const filled = this.#block.subarray(0, this.#used);
    this.#crc = crc32(filled, this.#crc);
    writeWhole(this.#file, filled);
    this.#used = 0;
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}
