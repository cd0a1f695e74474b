import { incompleteBeta, logBeta } from './incomplete-beta.ts';
import { upperQuantile } from './upper-quantile.ts';

/** The quantile of Fisher's F distribution, the ratio of two variances with these degrees of freedom (real numbers from 1 on). */
export function fQuantile(probability: number, degrees1: number, degrees2: number): number {
  // The reciprocal has an F distribution too: the smaller tail is the one with all its digits.
  if (probability < 0.5) return 1 / fAbove(probability, degrees2, degrees1);
  return fAbove(1 - probability, degrees1, degrees2);
}

function fAbove(probability: number, degrees1: number, degrees2: number): number {
  const [a, b] = [degrees1 / 2, degrees2 / 2];
  const ratio = degrees1 / degrees2;
  const logConstant = a * Math.log(ratio) - logBeta(a, b);
  return upperQuantile(probability, {
    // Abramowitz and Stegun, Handbook of Mathematical Functions, 26.6.2.
    tail: (f) => incompleteBeta(b, a, 1 / (ratio * f)),
    density: (f) => Math.exp(logConstant + (a - 1) * Math.log(f) - (a + b) * Math.log1p(ratio * f)),
  });
}
