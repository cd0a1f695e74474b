import type { Sums } from './sample-reader.ts';

/** Value of a counter, or number of observations. */
export function levelOf({ sum, count, buckets }: Sums): number {
  if (count > 0) return count;
  return buckets.size === 0 ? sum : Math.max(...buckets.values());
}

export function isPositive(values: Sums | undefined): boolean {
  return values !== undefined && levelOf(values) > 0;
}

export function isReadable({ sum, count, buckets }: Sums): boolean {
  return !Number.isNaN(sum) && !Number.isNaN(count) && ![...buckets.values()].some(Number.isNaN);
}

/** Reports whether a label set counts less than before. The sum of observations may decrease, because they may be negative. */
export function isLess(now: Sums, before: Sums): boolean {
  if (now.count < before.count) return true;
  if (before.count === 0 && before.buckets.size === 0) return now.sum < before.sum;
  return [...before.buckets].some(([bound, count]) => (now.buckets.get(bound) ?? count) < count);
}
