import { logGamma } from './incomplete-beta.ts';

/** The two tails of a gamma distribution of shape `k` and scale 1 at `x`, which add up to 1; each keeps its digits where it is small. */
export function gammaTails(k: number, x: number): { below: number; above: number } {
  if (x <= 0) return { below: 0, above: 1 };
  if (x === Infinity) return { below: 1, above: 0 };
  const front = Math.exp(k * Math.log(x) - x - logGamma(k));
  if (x < k + 1) {
    const below = Math.min(1, front * series(k, x));
    return { below, above: 1 - below };
  }
  const above = Math.min(1, front * continuedFraction(k, x));
  return { below: 1 - above, above };
}

/** Abramowitz and Stegun 6.5.29: all terms are positive. */
function series(k: number, x: number): number {
  let term = 1 / k;
  let sum = term;
  for (let n = 1; n < mostTerms && term > sum * precision; n++) {
    term *= x / (k + n);
    sum += term;
  }
  return sum;
}

/** Abramowitz and Stegun 6.5.31, by the method of Lentz. */
function continuedFraction(k: number, x: number): number {
  let b = x + 1 - k;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < mostTerms; n++) {
    const a = n * (k - n);
    b += 2;
    d = 1 / apartFromZero(a * d + b);
    c = apartFromZero(b + a / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < precision) break;
  }
  return fraction;
}

/** Near the mean their number grows with the root of k: this is enough for 1e8. */
const mostTerms = 100_000;
const precision = 1e-15;
const apartFromZero = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);
