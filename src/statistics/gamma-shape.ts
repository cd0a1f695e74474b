import { digamma, trigamma } from './digamma.ts';

/**
 * The shape k of a gamma distribution by maximum likelihood, from the logarithm of the mean minus the mean of the
 * logarithms: Newton's method from the start of Minka (2002), which needs about four steps.
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

/** The standard error of that estimate from `count` values, of which the mean was estimated too. */
export function gammaShapeError(k: number, count: number): number {
  return Math.sqrt(k / (count * (k * trigamma(k) - 1)));
}
