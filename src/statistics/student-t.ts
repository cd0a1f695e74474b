import { normalCdf, normalQuantile } from './gamma.ts';
import { incompleteBeta, logBeta } from './incomplete-beta.ts';

/** Returns the quantile of Student's t distribution at a probability between 0 and 1. `degrees`: a real number from 1 on; infinite for the normal distribution. */
export function tQuantile(probability: number, degrees: number): number {
  if (degrees === Infinity) return normalQuantile(probability);
  if (probability === 0.5) return 0;
  if (probability < 0.5) return -tAbove(probability, degrees);
  return tAbove(1 - probability, degrees);
}

/** Returns the probability that Student's t distribution exceeds `t`. */
export function tTail(t: number, degrees: number): number {
  if (degrees === Infinity) return normalCdf(-t);
  if (t < 0) return 1 - tTail(-t, degrees);
  // Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1.
  return incompleteBeta(degrees / 2, 0.5, degrees / t / t) / 2;
}

const tAbove = (probability: number, degrees: number): number => {
  const logConstant = -logBeta(degrees / 2, 0.5) - Math.log(degrees) / 2;
  return upperQuantile(probability, {
    tail: (t) => tTail(t, degrees),
    density: (t) => Math.exp(logConstant - ((degrees + 1) / 2) * Math.log1p((t * t) / degrees)),
  });
};

/** Returns the quantile of Fisher's F distribution, the ratio of two variances with these degrees of freedom (real numbers from 1 on). */
export function fQuantile(probability: number, degrees1: number, degrees2: number): number {
  // The reciprocal has an F distribution too: only the smaller tail has all its digits.
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

/** The upper tail of a distribution on positive numbers and its density, both at `x`. */
interface Distribution {
  tail: (x: number) => number;
  density: (x: number) => number;
}

/**
 * Returns the value that a distribution exceeds with this probability, to about 1e-13. Newton's method on the logarithm
 * of the tail over the logarithm of x: for Student's and Fisher's distributions this curve falls ever more steeply, so
 * the method converges from any start and overshoots at most once.
 */
function upperQuantile(probability: number, { tail, density }: Distribution): number {
  const target = Math.log(probability);
  let log = 0;
  for (let step = 0; step < maxSteps; step++) {
    const x = Math.exp(log);
    const above = tail(x);
    const change = ((Math.log(above) - target) * above) / (x * density(x));
    // Limits each step up: where the tail underflows to 0, the method cannot return.
    log += Math.min(change, Math.LN2);
    if (Math.abs(change) < 1e-14) break;
  }
  return Math.exp(log);
}

const maxSteps = 1500;
