import { highestOf, type SparseHistogram } from '../../record/sparse-histogram.ts';

/**
 * The counts of a histogram between fixed bounds: up to the first one, between each and the next, above the last. A
 * bucket of the histogram counts where its highest value belongs, so that nothing seems faster than it was: a value less
 * than 0.1 % below a bound may be counted above it.
 */
export function explicitCounts(
  { indexes, counts }: SparseHistogram,
  { maxUs, boundaries }: { maxUs: number; boundaries: readonly number[] },
): number[] {
  const boundsUs = boundaries.map((seconds) => Math.round(seconds * 1e6));
  const filled = new Array<number>(boundsUs.length + 1).fill(0);
  let place = 0;
  for (let at = 0; at < indexes.length; at++) {
    const us = Math.min(maxUs, highestOf(indexes[at] ?? 0));
    while (us > (boundsUs[place] ?? Infinity)) place++;
    filled[place] = (filled[place] ?? 0) + (counts[at] ?? 0);
  }
  return filled;
}
