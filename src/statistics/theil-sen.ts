/** A value of a series, and when it was: in any unit of time. */
export interface Point {
  at: number;
  value: number;
}

/** The slopes between all pairs of points, by size. Takes 0.2 ms for 50 points, 50 ms for 600. */
export function pairSlopes(points: readonly Point[]): Float64Array {
  const slopes: number[] = [];
  for (const [later, { at, value }] of points.entries())
    for (const before of points.slice(0, later)) slopes.push((value - before.value) / (at - before.at));
  return Float64Array.from(slopes).sort();
}

/** The slope of Theil (1950) and Sen (1968): the median of those between all pairs, which outliers hardly move. */
export function medianSlope(slopes: Float64Array): number {
  const half = slopes.length / 2;
  return ((slopes[Math.ceil(half) - 1] ?? NaN) + (slopes[Math.floor(half)] ?? NaN)) / 2;
}

/**
 * Sen's interval of the slope. `spread`: the number of standard errors of Kendall's S for the confidence. If it exceeds
 * the number of pairs, the interval is that of all slopes.
 */
export function slopeInterval(slopes: Float64Array, spread: number): { low: number; high: number } {
  const pairs = slopes.length;
  const low = Math.max(0, Math.round((pairs - spread) / 2) - 1);
  const high = Math.min(pairs - 1, Math.round((pairs + spread) / 2));
  return { low: slopes[low] ?? NaN, high: slopes[high] ?? NaN };
}
