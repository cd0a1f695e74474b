/** The sum; 0 without values. */
export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The mean; not a number without values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The sum of squared distances from the mean. */
export function scatter(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}

/** The middle value; the mean of the two middle ones of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? NaN;
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2;
}

/**
 * Values with outliers limited to a number of standard deviations around the median, estimated from the median
 * distance.
 */
export function clip(values: readonly number[], deviations = 3): number[] {
  const centre = median(values);
  const reach = deviations * spreadAbout(centre, values);
  return values.map((value) => Math.min(centre + reach, Math.max(centre - reach, value)));
}

/**
 * A robust standard deviation: 1.4826 is what makes the median distance that of the normal distribution. Where most values are
 * equal (a share of failures that was always zero) it would be 0, and clipping would hide any change: there the mean
 * distance is used instead, times 1.2533 for the same reason.
 */
function spreadAbout(centre: number, values: readonly number[]): number {
  const distances = values.map((value) => Math.abs(value - centre));
  return 1.4826 * median(distances) || 1.2533 * mean(distances);
}
