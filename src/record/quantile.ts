import { lowestOf, type SparseHistogram } from './sparse-histogram.ts';

/** A quantile, in milliseconds: within its bucket the values are taken to be spread evenly. */
export function quantileOf(histogram: SparseHistogram, quantile: number): number {
  const { bucket, fraction } = locateQuantile(histogram, quantile);
  const low = lowestOf(bucket);
  const us = low + fraction * (lowestOf(bucket + 1) - low);
  // A value of 0 µs means anything below half a microsecond, and needs a logarithm.
  return Math.max(us, 0.5) / 1000;
}

/** The bucket of a quantile, and the part of its values below it. */
export function locateQuantile(
  { indexes, counts, total }: SparseHistogram,
  quantile: number,
): { bucket: number; fraction: number } {
  let rest = quantile * total;
  for (let at = 0; at < indexes.length; at++) {
    const count = counts[at] ?? 0;
    if (rest <= count || at === indexes.length - 1)
      return { bucket: indexes[at] ?? 0, fraction: Math.min(1, rest / count) };
    rest -= count;
  }
  throw new Error('a histogram without values has no quantile');
}
