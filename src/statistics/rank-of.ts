import { incompleteBeta } from './incomplete-beta.ts';

/** Returns the rank, from 1, of the nearest-rank percentile among `count` sorted values. */
export function rankOf(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100 - 1e-9));
}

/**
 * Returns the rank, from 1, of the value that the true percentile exceeds with a probability of at most 1 %, if the values
 * are independent; `undefined` if there are too few. The bound of MLPerf's early stopping (mlcommons/inference,
 * loadgen/early_stopping.cc): of `count` values, the probability of at most t beyond the percentile is under 1 %.
 */
export function upperRankOf(percent: number, count: number): number | undefined {
  const odds = percent / (100 - percent);
  const isEnough = (beyond: number): boolean => incompleteBeta(count - beyond, beyond + 1, odds) < 0.01;
  if (count < 1 || !isEnough(0)) return undefined;
  let [low, high] = [0, count];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) low = middle;
    else high = middle;
  }
  return count - Math.max(0, low - 1);
}
