import { z } from 'zod';
import { writeSparse } from './histogram.ts';
import { indexOf, readSparse, type SparseHistogram } from './sparse-histogram.ts';

/**
 * Values of a series that waited for the event loop of the generator: as recorded, and less the longest wait that they may
 * contain. Both encoded like the series.
 */
export const storedShiftsSchema = z.object({ from: z.string(), to: z.string() });
export type StoredShifts = z.infer<typeof storedShiftsSchema>;

/** Changes of the counts of buckets, which add up to 0. */
export class Shifts {
  readonly #changes = new Map<number, number>();

  /** Moves a value, in whole microseconds. */
  move(fromUs: number, toUs: number): void {
    this.#change(indexOf(fromUs), -1);
    this.#change(indexOf(toUs), 1);
  }

  add(other: Shifts): void {
    for (const [index, change] of other.#changes) this.#change(index, change);
  }

  /** Throws `UnreadableHistogram` if a histogram is not valid. */
  addStored({ from, to }: StoredShifts): void {
    const [taken, given] = [readSparse(from), readSparse(to)];
    taken.indexes.forEach((index, at) => this.#change(index, -(taken.counts[at] ?? 0)));
    given.indexes.forEach((index, at) => this.#change(index, given.counts[at] ?? 0));
  }

  /** Returns the histogram with its values moved. */
  applyTo({ indexes, counts }: SparseHistogram): SparseHistogram {
    const moved = new Map(Array.from(indexes, (index, at) => [index, counts[at] ?? 0]));
    for (const [index, change] of this.#changes) moved.set(index, (moved.get(index) ?? 0) + change);
    return sparseOf([...moved].filter(([, count]) => count > 0));
  }

  store(): StoredShifts {
    const changes = [...this.#changes];
    return {
      from: writeSparse(
        sparseOf(changes.filter(([, change]) => change < 0).map(([index, change]) => [index, -change])),
      ),
      to: writeSparse(sparseOf(changes.filter(([, change]) => change > 0))),
    };
  }

  #change(index: number, by: number): void {
    const changed = (this.#changes.get(index) ?? 0) + by;
    if (changed === 0) this.#changes.delete(index);
    else this.#changes.set(index, changed);
  }
}

function sparseOf(filled: [index: number, count: number][]): SparseHistogram {
  filled.sort(([a], [b]) => a - b);
  return {
    indexes: Int32Array.from(filled, ([index]) => index),
    counts: Float64Array.from(filled, ([, count]) => count),
    total: filled.reduce((sum, [, count]) => sum + count, 0),
  };
}

/** Merges the shifts of the parts of a series; `undefined` if there are none. */
export function mergeShifts(parts: readonly (StoredShifts | undefined)[]): StoredShifts | undefined {
  const there = parts.filter((part) => part !== undefined);
  if (there.length <= 1) return there[0];
  const sum = new Shifts();
  for (const part of there) sum.addStored(part);
  return sum.store();
}

/** Returns the values of a series less the longest waits that they may contain. */
export function withoutWaits(values: SparseHistogram, shifts: StoredShifts | undefined): SparseHistogram {
  if (shifts === undefined) return values;
  const moved = new Shifts();
  moved.addStored(shifts);
  return moved.applyTo(values);
}
