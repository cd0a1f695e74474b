/**
 * The gamma distribution function at `x`, of shape `k` and mean `k * scale`: the regularised lower incomplete gamma
 * function by its series (Abramowitz and Stegun 6.5.29), whose terms are all positive.
 */
export function gammaCdf(x: number, k: number, scale: number): number {
  const z = x / scale;
  if (z <= 0) return 0;
  let term = 1;
  let sum = 1;
  for (let n = 1; term > sum * 1e-16; n++) {
    term *= z / (k + n);
    sum += term;
  }
  return Math.min(1, sum * Math.exp(k * Math.log(z) - z - logGamma(k + 1)));
}

/** ln of the gamma function for positive arguments: Stirling's series, from 10 up, reached by the recurrence. */
function logGamma(x: number): number {
  if (x < 10) return logGamma(x + 1) - Math.log(x);
  const r = 1 / (x * x);
  return (
    (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r / 1680))) / x
  );
}
