/** Fewer intervals than this show no noise within a run. */
export const leastIntervals = 12;

/**
 * The standard error of a sum over the intervals of a run whose neighbours resemble each other, by the method of batch
 * means: contiguous batches, long enough that their sums are nearly independent. `sums` holds, for every interval, what the
 * interval adds to the sum beyond its expected value, so that they sum to zero. `null` below 12 intervals.
 */
export function batchError(sums: readonly number[]): number | null {
  if (sums.length < leastIntervals) return null;
  const batches = batchesOf(sums.length);
  const squares = batchSums(sums, batches).reduce((total, sum) => total + sum ** 2, 0);
  return Math.sqrt((squares * batches) / (batches - 1));
}

/** The number of batches for a number of intervals. */
export function batchesOf(intervals: number): number {
  return Math.min(10, Math.max(6, Math.floor(intervals / 10)));
}

/** Batches of equal length; what is left over makes the first ones longer by one. */
function batchSums(sums: readonly number[], batches: number): number[] {
  const length = Math.floor(sums.length / batches);
  const longer = sums.length % batches;
  const startOf = (batch: number): number => batch * length + Math.min(batch, longer);
  return Array.from({ length: batches }, (_, batch) =>
    sums.slice(startOf(batch), startOf(batch + 1)).reduce((total, sum) => total + sum, 0),
  );
}
