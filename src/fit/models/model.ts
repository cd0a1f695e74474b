/** A distribution as functions, in the unit of its part. */
export interface Model {
  /** The share at or below `x`. */
  cdf: (x: number) => number;
  /** The least value at or below which a share `p` is. */
  quantile: (p: number) => number;
  mean: number;
}

/** The least x at which a rising function reaches `p`, by bisection between a bound below it and one found above. */
export function invert(cdf: (x: number) => number, p: number, start: number): number {
  let [low, high] = [0, start];
  while (cdf(high) < p && high < 1e300) [low, high] = [high, high * 2];
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2;
    if (cdf(middle) < p) low = middle;
    else high = middle;
  }
  return high;
}

/** The same over whole numbers from 1. */
export function invertWhole(cdf: (x: number) => number, p: number): number {
  let [low, high] = [0, 1];
  // Rounding keeps the sum of many weights a little below 1.
  const target = p - 1e-9;
  while (cdf(high) < target && high < 1e9) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (cdf(middle) < target) low = middle;
    else high = middle;
  }
  return high;
}
