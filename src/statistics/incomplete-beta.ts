/**
 * Returns the regularised incomplete beta function: the share of a beta distribution (a, b) below x. The argument is the odds x
 * / (1 - x), which keep all digits at both ends. The relative error is about 1e-13, in far tails too. By the continued
 * fraction of DiDonato and Morris (ACM TOMS 18, 1992), evaluated by the method of Lentz.
 */
export function incompleteBeta(a: number, b: number, odds: number): number {
  if (odds <= 0) return 0;
  if (odds === Infinity) return 1;
  // Beyond the mean the fraction converges slowly; there the other tail is computed.
  if (odds > (a + 1) / (b + 1)) return 1 - incompleteBeta(b, a, 1 / odds);
  const front = Math.exp(-a * Math.log1p(1 / odds) - b * Math.log1p(odds) - logBeta(a, b));
  return front / continuedFraction(a, b, odds);
}

/** Returns the logarithm of the gamma function of a positive number, to about 1e-15. */
export function logGamma(x: number): number {
  let product = 1;
  let shifted = x;
  for (; shifted < stirlingFrom; shifted++) product *= shifted;
  return (shifted - 0.5) * Math.log(shifted) - shifted + logRootOf2Pi + stirlingRest(shifted) - Math.log(product);
}

/** Returns the logarithm of the beta function. */
export function logBeta(a: number, b: number): number {
  const [small, large] = a < b ? [a, b] : [b, a];
  if (large < stirlingFrom) return logGamma(small) + logGamma(large) - logGamma(small + large);
  // The gamma functions of `large` and of the sum are huge and nearly equal: their logarithms are subtracted term by term.
  const difference =
    small - (large - 0.5) * Math.log1p(small / large) - small * Math.log(large + small) + stirlingRest(large);
  return logGamma(small) + difference - stirlingRest(large + small);
}

const stirlingFrom = 10;
const logRootOf2Pi = Math.log(2 * Math.PI) / 2;

/** Returns the remainder of Stirling's formula, from 10 on (Abramowitz and Stegun, 6.1.41). */
function stirlingRest(x: number): number {
  const terms = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156];
  return terms.reduceRight((sum, term) => sum / (x * x) + term, 0) / x;
}

function continuedFraction(a: number, b: number, odds: number): number {
  const x = 1 / (1 + 1 / odds);
  const rest = 1 / (1 + odds);
  const denominator = (m: number): number =>
    m +
    // With a = 1 and m = 0 this is 0, not 0 / 0.
    (m === 0 ? 0 : (m * (b - m) * x) / (a + 2 * m - 1)) +
    ((a + m) * (a * rest - b * x + 1 + m * (1 + rest))) / (a + 2 * m + 1);
  let c = apartFromZero(denominator(0));
  let d = 0;
  let fraction = c;
  for (let m = 1; m < maxTerms; m++) {
    const numerator = ((((a + m - 1) * (a + b + m - 1)) / (a + 2 * m - 1)) * m * (b - m) * x * x) / (a + 2 * m - 1);
    d = 1 / apartFromZero(denominator(m) + numerator * d);
    c = apartFromZero(denominator(m) + numerator / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < precision) break;
  }
  return fraction;
}

/** Maximum number of terms, which grows with the root of the larger parameter; enough for 1e9. */
const maxTerms = 100_000;
const precision = 1e-15;

const apartFromZero = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);

/**
 * Returns the bounds of a share that was seen in `count` draws, each exceeded with at most probability `alpha` (Clopper and
 * Pearson, 1934). `part` and `count` need not be whole: draws that resemble each other count as fewer.
 */
export function shareBounds(
  { part, count }: { part: number; count: number },
  alpha: number,
): { low: number; high: number } {
  const low = part <= 0 ? 0 : betaQuantile(alpha, part, count - part + 1);
  const high = part >= count ? 1 : betaQuantile(1 - alpha, part + 1, count - part);
  return { low, high };
}

/** Returns a quantile of a beta distribution by bisection: some fifty evaluations are negligible next to the seconds between two evaluations of a run. */
function betaQuantile(probability: number, a: number, b: number): number {
  let [from, to] = [0, 1];
  while (to - from > 1e-9 * to + 1e-15) {
    const middle = (from + to) / 2;
    if (incompleteBeta(a, b, middle / (1 - middle)) < probability) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}
