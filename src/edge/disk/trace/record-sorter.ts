import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import TinyQueue from 'tinyqueue';
import { removeWhenEnded } from '../unwritable.ts';

/** Where a record of fixed size is. */
export interface RecordPlace {
  buffer: Buffer;
  at: number;
}

interface Sorting {
  /** The size of a record in bytes. */
  recordBytes: number;
  compare: (a: RecordPlace, b: RecordPlace) => number;
  /** The path of a file that does not exist, for what does not fit into memory; removed afterwards. */
  spillFile: (run: number) => string;
}

/** Records that are sorted at a time, and so the memory that it takes. */
const maxInMemory = 65_536;
const mergedAtOnce = 512;

/** Sorts any number of records of fixed size in little memory: runs that are sorted go to disk and are merged. */
export class RecordSorter {
  readonly #sorting: Sorting;
  readonly #buffer: Buffer;
  #count = 0;
  readonly #runs: string[] = [];
  readonly #forget: (() => void)[] = [];

  constructor(sorting: Sorting) {
    this.#sorting = sorting;
    this.#buffer = Buffer.allocUnsafe(maxInMemory * sorting.recordBytes);
  }

  /** Room for one more record, to be filled before the next call. */
  add(): RecordPlace {
    if (this.#count === maxInMemory) this.#spill();
    const place = { buffer: this.#buffer, at: this.#count * this.#sorting.recordBytes };
    this.#count += 1;
    return place;
  }

  /** All records in their order; each place holds until the next. Those that are equal keep the order in which they came. */
  *drain(): Generator<RecordPlace, void> {
    if (this.#runs.length === 0) {
      yield* this.#sorted();
      return;
    }
    if (this.#count > 0) this.#spill();
    yield* this.#merged();
  }

  /** Removes what is on disk. */
  dispose(): void {
    for (const file of this.#runs) unlinkSync(file);
    for (const forget of this.#forget) forget();
    this.#runs.length = 0;
    this.#forget.length = 0;
  }

  *#sorted(): Generator<RecordPlace, void> {
    const { recordBytes, compare } = this.#sorting;
    const [a, b] = [
      { buffer: this.#buffer, at: 0 },
      { buffer: this.#buffer, at: 0 },
    ];
    const order = Uint32Array.from({ length: this.#count }, (_, index) => index * recordBytes);
    order.sort((left, right) => {
      a.at = left;
      b.at = right;
      return compare(a, b);
    });
    for (const at of order) {
      a.at = at;
      yield a;
    }
  }

  #spill(): void {
    const { recordBytes, spillFile } = this.#sorting;
    const file = spillFile(this.#runs.length);
    const run = Buffer.allocUnsafe(this.#count * recordBytes);
    let written = 0;
    for (const { buffer, at } of this.#sorted()) {
      buffer.copy(run, written, at, at + recordBytes);
      written += recordBytes;
    }
    const descriptor = openSync(file, 'wx', 0o600);
    this.#runs.push(file);
    this.#forget.push(removeWhenEnded(file));
    try {
      for (let written = 0; written < run.length;) written += writeSync(descriptor, run, written);
    } finally {
      closeSync(descriptor);
    }
    this.#count = 0;
  }

  *#merged(): Generator<RecordPlace, void> {
    const { recordBytes, compare } = this.#sorting;
    const runs = this.#runs.map((file, index) => new Run(file, { index, recordBytes }));
    try {
      const queue = new TinyQueue(
        runs.filter((run) => run.next()),
        (a, b) => compare(a.place, b.place) || a.index - b.index,
      );
      for (let run = queue.pop(); run !== undefined; run = queue.pop()) {
        yield run.place;
        if (run.next()) queue.push(run);
      }
    } finally {
      for (const run of runs) run.close();
    }
  }
}

/** A sorted run on disk, read from its start. */
class Run {
  readonly index: number;
  readonly place: RecordPlace;
  readonly #descriptor: number;
  readonly #recordBytes: number;
  #left = 0;

  constructor(file: string, { index, recordBytes }: { index: number; recordBytes: number }) {
    this.index = index;
    this.#recordBytes = recordBytes;
    this.place = { buffer: Buffer.allocUnsafe(mergedAtOnce * recordBytes), at: 0 };
    this.#descriptor = openSync(file, 'r');
  }

  /** Moves to the next record; false behind the last. */
  next(): boolean {
    if (this.#left > 0) this.place.at += this.#recordBytes;
    else {
      this.#left = readSync(this.#descriptor, this.place.buffer) / this.#recordBytes;
      this.place.at = 0;
      if (this.#left === 0) return false;
    }
    this.#left -= 1;
    return true;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
