export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Returns the sum of a figure over the items. */
export function sumBy<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + valueOf(item), 0);
}

/** Returns the mean; not a number without values. */
export function mean(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

/** Returns the sum of squared distances from the mean. */
export function scatter(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? NaN;
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2;
}

/** Returns values with outliers limited to a number of standard deviations around the median, estimated from the median distance. */
export function clip(values: readonly number[], deviations = 3): number[] {
  const centre = median(values);
  const reach = deviations * spreadAbout(centre, values);
  return values.map((value) => Math.min(centre + reach, Math.max(centre - reach, value)));
}

/**
 * Returns a robust standard deviation: the median distance, scaled for the normal distribution. If most values are equal (a
 * share of failures that was always zero), it would be 0, and clipping would hide any change: the mean distance is used.
 */
function spreadAbout(centre: number, values: readonly number[]): number {
  const distances = values.map((value) => Math.abs(value - centre));
  return 1.4826 * median(distances) || 1.2533 * mean(distances);
}

/** A higher value cannot be distinguished from a random walk. */
const max = 0.95;

/**
 * Returns the lag-1 autocorrelation, at least 0. Residuals of a fit underestimate it: with a constant by (1 + 3r) / n (Marriott
 * and Pope, 1954; Kendall, 1954), and by (1 + r) / n for each further parameter, which is added back. `fitted`: number of
 * parameters, 3 for a parabola.
 */
export function neighbourCorrelation(residuals: readonly number[], fitted: number): number {
  const n = residuals.length;
  const centre = mean(residuals);
  const distances = residuals.map((value) => value - centre);
  const squares = sumOf(distances.map((value) => value ** 2));
  if (squares === 0) return 0;
  const products = distances.reduce((sum, value, at) => sum + value * (distances[at - 1] ?? 0), 0);
  const corrected = ((n * products) / squares + fitted) / (n - fitted - 2);
  return Math.min(max, Math.max(0, corrected));
}

/**
 * Returns the factor by which autocorrelation multiplies the variance of a mean, of a slope, or of Kendall's S: the number of values
 * over the equivalent number of independent ones (Bayley and Hammersley, 1946; Yue and Wang, 2004).
 * `correlations`: of values 1, 2, ... apart.
 */
export function varianceFactor(n: number, correlations: readonly number[]): number {
  return 1 + 2 * correlations.reduce((sum, correlation, at) => sum + (1 - (at + 1) / n) * correlation, 0);
}

/** Returns the correlations of values 1, 2, ... apart in a first-order autoregressive series. */
export function fadingCorrelations(n: number, neighbours: number): number[] {
  return Array.from({ length: n - 1 }, (_, at) => neighbours ** (at + 1));
}
