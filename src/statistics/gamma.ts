import { logGamma } from './incomplete-beta.ts';

/** Returns the two tails of a gamma distribution of shape `k` and scale 1 at `x`, which sum to 1; small tails are accurate, too. */
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

/** Sums the series 6.5.29 of Abramowitz and Stegun, whose terms are all positive. */
function series(k: number, x: number): number {
  let term = 1 / k;
  let sum = term;
  for (let n = 1; n < maxTerms && term > sum * precision; n++) {
    term *= x / (k + n);
    sum += term;
  }
  return sum;
}

/** Evaluates the continued fraction 6.5.31 of Abramowitz and Stegun by the method of Lentz. */
function continuedFraction(k: number, x: number): number {
  let b = x + 1 - k;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < maxTerms; n++) {
    const a = n * (k - n);
    b += 2;
    d = 1 / apartFromZero(a * d + b);
    c = apartFromZero(b + a / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < precision) break;
  }
  return fraction;
}

/** Maximum number of terms: near the mean, the square root of k is needed; this is enough for k up to 1e8. */
const maxTerms = 100_000;
const precision = 1e-15;
const apartFromZero = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);

/** Returns the derivative of the log-gamma function at a positive number, to about 1e-13 (Abramowitz and Stegun 6.3.18). */
function digamma(x: number): number {
  let [shifted, sum] = [x, 0];
  for (; shifted < asymptoticFrom; shifted++) sum -= 1 / shifted;
  const r = 1 / (shifted * shifted);
  return (
    sum + Math.log(shifted) - 0.5 / shifted - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
  );
}

/** Returns the derivative of `digamma` (6.4.12). */
function trigamma(x: number): number {
  let [shifted, sum] = [x, 0];
  for (; shifted < asymptoticFrom; shifted++) sum += 1 / (shifted * shifted);
  const r = 1 / (shifted * shifted);
  return sum + (1 + 0.5 / shifted + r * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r / 30)))) / shifted;
}

/** Smallest argument at which the asymptotic series are exact enough. */
const asymptoticFrom = 10;

/**
 * Estimates the shape k of a gamma distribution by maximum likelihood. `spread`: the logarithm of the mean minus the mean
 * of the logarithms. Newton's method from the start of Minka (2002) takes about four steps.
 */
export function gammaShape(spread: number): number {
  if (spread <= 0) return Infinity;
  let k = (3 - spread + Math.sqrt((spread - 3) ** 2 + 24 * spread)) / (12 * spread);
  for (let step = 0; step < 20; step++) {
    const inverse = 1 / k + (Math.log(k) - digamma(k) - spread) / (k * k * (1 / k - trigamma(k)));
    const next = 1 / inverse;
    if (!(next > 0) || Math.abs(next - k) < 1e-12 * k) break;
    k = next;
  }
  return k;
}

/** Returns the standard error of `gammaShape` for `count` values with an estimated mean. */
export function gammaShapeError(k: number, count: number): number {
  return Math.sqrt(k / (count * (k * trigamma(k) - 1)));
}

/** Returns the share of a standard normal distribution below `z`; far tails are accurate, too. */
export function normalCdf(z: number): number {
  const { below, above } = gammaTails(0.5, (z * z) / 2);
  return z < 0 ? above / 2 : (1 + below) / 2;
}

/** Returns the density of the standard normal distribution at `z`. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** Returns the `p` quantile of the standard normal distribution, by bisection to full precision. */
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
