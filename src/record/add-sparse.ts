import { bucketCount, type SparseHistogram } from './sparse-histogram.ts';

/** A place for every bucket; all zeros between two sums. */
const sums = new Float64Array(bucketCount);

/**
 * The sum of histograms: bucket by bucket where there is something, some hundreds of 23,000. In plain loops, for this is
 * where recovering the journal of a night spends its time.
 */
export function addSparse(parts: readonly SparseHistogram[]): SparseHistogram {
  let [from, to] = [bucketCount, 0];
  for (const { indexes, counts } of parts) {
    for (let place = 0; place < indexes.length; place++) {
      const index = indexes[place] ?? 0;
      sums[index] = (sums[index] ?? 0) + (counts[place] ?? 0);
    }
    from = Math.min(from, indexes[0] ?? bucketCount);
    to = Math.max(to, (indexes.at(-1) ?? -1) + 1);
  }
  return takeSums(from, to);
}

function takeSums(from: number, to: number): SparseHistogram {
  const indexes = new Int32Array(Math.max(0, to - from));
  const counts = new Float64Array(indexes.length);
  let [filled, total] = [0, 0];
  for (let index = from; index < to; index++) {
    const count = sums[index] ?? 0;
    if (count === 0) continue;
    indexes[filled] = index;
    counts[filled++] = count;
    total += count;
  }
  sums.fill(0, from, to);
  return { indexes: indexes.subarray(0, filled), counts: counts.subarray(0, filled), total };
}
