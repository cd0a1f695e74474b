import { z } from 'zod';
import { writeSparse } from './histogram.ts';
import { addSparse } from './dense-histogram.ts';
import { readSparse, type SparseHistogram } from './sparse-histogram.ts';

/**
 * Values of a series that waited for the event loop of the generator: as recorded, and less the longest wait that they may
 * contain. Both encoded like the series.
 */
export const storedShiftsSchema = z.object({ from: z.string(), to: z.string() });
export type StoredShifts = z.infer<typeof storedShiftsSchema>;

/** Returns the stored form of changes of the counts of buckets, which add up to 0. */
export function storeShifts({ indexes, counts }: SparseHistogram): StoredShifts {
  const of = (sign: 1 | -1): string => {
    const places = [...indexes.keys()].filter((at) => sign * (counts[at] ?? 0) > 0);
    return writeSparse({
      indexes: Int32Array.from(places, (at) => indexes[at] ?? 0),
      counts: Float64Array.from(places, (at) => Math.abs(counts[at] ?? 0)),
    });
  };
  return { from: of(-1), to: of(1) };
}

/** Returns the changes of stored shifts, removals first. Throws `UnreadableHistogram` if a histogram is not valid. */
export function readShifts({ from, to }: StoredShifts): readonly SparseHistogram[] {
  const { indexes, counts, total } = readSparse(from);
  return [{ indexes, counts: counts.map((count) => -count), total: -total }, readSparse(to)];
}

/** Merges the shifts of the parts of a series; `undefined` if there are none. */
export function mergeShifts(parts: readonly (StoredShifts | undefined)[]): StoredShifts | undefined {
  const there = parts.filter((part) => part !== undefined);
  return there.length <= 1 ? there[0] : storeShifts(addSparse(there.flatMap(readShifts)));
}

/** Returns the values of a series less the longest waits that they may contain. */
export function withoutWaits(values: SparseHistogram, shifts: StoredShifts | undefined): SparseHistogram {
  if (shifts === undefined) return values;
  const { indexes, counts } = addSparse([values, ...readShifts(shifts)]);
  const places = [...indexes.keys()].filter((at) => (counts[at] ?? 0) > 0);
  return {
    indexes: Int32Array.from(places, (at) => indexes[at] ?? 0),
    counts: Float64Array.from(places, (at) => counts[at] ?? 0),
    total: places.reduce((sum, at) => sum + (counts[at] ?? 0), 0),
  };
}
