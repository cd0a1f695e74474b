import { closeSync, openSync, readSync } from 'node:fs';
import TinyQueue from 'tinyqueue';
import { writeAll } from '../record-index.ts';
import { removeWhenEnded } from '../unwritable.ts';

export interface RecordPlace {
  buffer: Buffer;
  at: number;
}

interface Sorting {
  recordBytes: number;
  compare: (a: RecordPlace, b: RecordPlace) => number;
  /** Returns the path of a new temporary file for records that do not fit into memory. */
  spillFile: (run: number) => string;
}

/** Number of records that are sorted at a time, which limits the memory. */
const maxInMemory = 65_536;
const readAtOnce = 512;

/** Sorts any number of records of fixed size in constant memory: sorted runs are written to disk and merged. */
export class RecordSorter {
  readonly #sorting: Sorting;
  readonly #buffer: Buffer;
  #count = 0;
  readonly #runs: { file: string; remove: () => void }[] = [];

  constructor(sorting: Sorting) {
    this.#sorting = sorting;
    this.#buffer = Buffer.allocUnsafe(maxInMemory * sorting.recordBytes);
  }

  /** Returns the place of a new record, to be filled before the next call. */
  add(): RecordPlace {
    if (this.#count === maxInMemory) this.#spill();
    const place = { buffer: this.#buffer, at: this.#count * this.#sorting.recordBytes };
    this.#count += 1;
    return place;
  }

  /** Yields all records in order; each place is valid until the next one. Equal records keep their order. */
  *drain(): Generator<RecordPlace, void> {
    if (this.#runs.length === 0) return yield* this.#sorted();
    if (this.#count > 0) this.#spill();
    yield* this.#merged();
  }

  dispose(): void {
    for (const { remove } of this.#runs.splice(0)) remove();
  }

  *#sorted(): Generator<RecordPlace, void> {
    const { recordBytes, compare } = this.#sorting;
    const a = { buffer: this.#buffer, at: 0 };
    const b = { buffer: this.#buffer, at: 0 };
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
    const run = Buffer.allocUnsafe(this.#count * recordBytes);
    let filled = 0;
    for (const { buffer, at } of this.#sorted()) filled += buffer.copy(run, filled, at, at + recordBytes);
    const file = spillFile(this.#runs.length);
    // Before the file exists: a signal may arrive at once.
    const remove = removeWhenEnded(file);
    const descriptor = openSync(file, 'wx', 0o600);
    this.#runs.push({ file, remove });
    try {
      writeAll(descriptor, run);
    } finally {
      closeSync(descriptor);
    }
    this.#count = 0;
  }

  *#merged(): Generator<RecordPlace, void> {
    const { recordBytes, compare } = this.#sorting;
    const runs = this.#runs.map(({ file }, index) => new Run(file, index, recordBytes));
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

  constructor(file: string, index: number, recordBytes: number) {
    this.index = index;
    this.#recordBytes = recordBytes;
    this.place = { buffer: Buffer.allocUnsafe(readAtOnce * recordBytes), at: 0 };
    this.#descriptor = openSync(file, 'r');
  }

  /** Moves to the next record; returns false at the end. */
  next(): boolean {
    if (this.#left > 0) this.place.at += this.#recordBytes;
    else {
      this.#left = readSync(this.#descriptor, this.place.buffer) / this.#recordBytes;
      this.place.at = 0;
    }
    this.#left -= 1;
    return this.#left >= 0;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
