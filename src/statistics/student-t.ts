import { incompleteBeta, logBeta } from './incomplete-beta.ts';
import { upperQuantile } from './upper-quantile.ts';

/**
 * The quantile of Student's t distribution at a probability between 0 and 1. `degrees`: a real number from 1 on.
 */
export function tQuantile(probability: number, degrees: number): number {
  if (probability === 0.5) return 0;
  if (probability < 0.5) return -tAbove(probability, degrees);
  return tAbove(1 - probability, degrees);
}

/** The probability that Student's t distribution exceeds `t`. */
export function tTail(t: number, degrees: number): number {
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
