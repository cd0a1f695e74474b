import { mergeSnapshots } from './merge-snapshots.ts';
import type { Snapshot } from './snapshot.ts';

/** The number of pieces merged at once: each merge goes through all intervals, at most 600. */
const batchSize = 64;

/**
 * Merges the snapshots of a run's intervals as they come in, in any order, in bounded memory. Reading a histogram takes
 * nearly all of the time, so each is read about once: the totals of pieces, which are their intervals once more, are not
 * looked at, and summed up from the merged intervals at the end.
 */
export class PieceMerger {
  #merged: Snapshot | undefined;
  #batch: Snapshot[] = [];

  add(piece: Snapshot): void {
    this.#batch.push({ ...piece, totals: [] });
    if (this.#batch.length === batchSize) this.#merge();
  }

  /** The intervals of all, and no totals, which take long to sum up; `undefined` without any. */
  intervals(): Snapshot | undefined {
    this.#merge();
    return this.#merged;
  }

  /** The snapshot of all; `undefined` without any. */
  whole(): Snapshot | undefined {
    const merged = this.intervals();
    if (merged === undefined) return undefined;
    const totals = merged.intervals.map(({ warmUp, policy, counters, series }) => ({
      warmUp,
      policy,
      counters,
      series,
    }));
    return mergeSnapshots({ ...merged, totals });
  }

  #merge(): void {
    if (this.#batch.length === 0) return;
    const [first, ...rest] = [...(this.#merged === undefined ? [] : [this.#merged]), ...this.#batch];
    this.#batch = [];
    if (first !== undefined) this.#merged = mergeSnapshots(first, ...rest);
  }
}
