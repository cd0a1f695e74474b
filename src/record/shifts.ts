import { z } from 'zod';
import { addSparse } from './dense-histogram.ts';
import { bucketCount, UnreadableHistogram, type SparseHistogram } from './sparse-histogram.ts';

/**
 * Changes of the counts of buckets that make the values of a series those less the longest wait for the event loop that they may
 * contain: `bucket:change` each, the bucket as its distance from the one before. They add up to 0. Not compressed: there are few,
 * and every interval of every series has some.
 */
export const storedShiftsSchema = z.string();
export type StoredShifts = z.infer<typeof storedShiftsSchema>;

/** Returns the stored form of changes. */
export function storeShifts({ indexes, counts }: SparseHistogram): StoredShifts {
  let text = '';
  let before = 0;
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at] ?? 0;
    text += `${at === 0 ? '' : ' '}${String(index - before)}:${String(counts[at] ?? 0)}`;
    before = index;
  }
  return text;
}

/** Returns the changes of stored shifts. Throws `UnreadableHistogram` for another text. */
export function readShifts(shifts: StoredShifts): SparseHistogram {
  const parts = shifts === '' ? [] : shifts.split(' ', bucketCount + 1);
  const indexes = new Int32Array(parts.length);
  const counts = new Float64Array(parts.length);
  let [index, total] = [0, 0];
  parts.forEach((part, at) => {
    const [, step = '', change = ''] = /^(\d{1,5}):(-?\d{1,15})$/.exec(part) ?? [];
    index += Number(step);
    if (change === '' || (at > 0 && Number(step) === 0) || index >= bucketCount)
      throw new UnreadableHistogram('not the changes of a histogram');
    indexes[at] = index;
    counts[at] = Number(change);
    total += Number(change);
  });
  return { indexes, counts, total };
}

/** Merges the shifts of the parts of a series; `undefined` if there are none. */
export function mergeShifts(parts: readonly (StoredShifts | undefined)[]): StoredShifts | undefined {
  const there = parts.filter((part) => part !== undefined);
  return there.length <= 1 ? there[0] : storeShifts(addSparse(there.map(readShifts)));
}

/** Returns the values of a series less the longest waits that they may contain. */
export function withoutWaits(values: SparseHistogram, shifts: StoredShifts | undefined): SparseHistogram {
  if (shifts === undefined) return values;
  const { indexes, counts } = addSparse([values, readShifts(shifts)]);
  const places = [...indexes.keys()].filter((at) => (counts[at] ?? 0) > 0);
  return {
    indexes: Int32Array.from(places, (at) => indexes[at] ?? 0),
    counts: Float64Array.from(places, (at) => counts[at] ?? 0),
    total: places.reduce((sum, at) => sum + (counts[at] ?? 0), 0),
  };
}
