import { gammaTails } from './gamma.ts';

/** The share of a standard normal distribution below `z`; far tails keep their digits. */
export function normalCdf(z: number): number {
  const { below, above } = gammaTails(0.5, (z * z) / 2);
  return z < 0 ? above / 2 : (1 + below) / 2;
}

/** Its density at `z`. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** The value that a share `p` of it is below: by bisection, to the last digits. */
export function normalQuantile(p: number): number {
  if (p <= 0) return -Infinity;
  if (p >= 1) return Infinity;
  if (p > 0.5) return -normalQuantile(1 - p);
  let [low, high] = [-40, 0];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
