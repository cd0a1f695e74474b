import { mean } from './averages.ts';

/** A higher value cannot be distinguished from a random walk. */
const most = 0.95;

/**
 * The lag-1 autocorrelation, at least 0. The residuals of a fit make it look too
 * small: with a constant by (1 + 3r) / n
 * (Marriott and Pope, 1954; Kendall, 1954), and by another (1 + r) / n for each number more, which is added back.
 * `fitted`: how many numbers the fit took: 3 for a parabola.
 */
export function neighbourCorrelation(residuals: readonly number[], fitted: number): number {
  const n = residuals.length;
  const centre = mean(residuals);
  const distances = residuals.map((value) => value - centre);
  const squares = distances.reduce((sum, value) => sum + value ** 2, 0);
  if (squares === 0) return 0;
  const products = distances.reduce((sum, value, at) => sum + value * (distances[at - 1] ?? 0), 0);
  const corrected = ((n * products) / squares + fitted) / (n - fitted - 2);
  return Math.min(most, Math.max(0, corrected));
}

/**
 * By how much autocorrelation multiplies the variance of a mean, of a slope, or of Kendall's S: the number of values
 * over the equivalent number of independent ones (Bayley and Hammersley, 1946; Yue and Wang, 2004).
 * `correlations`: of values 1, 2, ... apart.
 */
export function varianceFactor(n: number, correlations: readonly number[]): number {
  return 1 + 2 * correlations.reduce((sum, correlation, at) => sum + (1 - (at + 1) / n) * correlation, 0);
}

/** The correlations of values 1, 2, ... apart in a first-order autoregressive series. */
export function fadingCorrelations(n: number, neighbours: number): number[] {
  return Array.from({ length: n - 1 }, (_, at) => neighbours ** (at + 1));
}
