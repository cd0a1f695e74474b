import { tQuantile, tTail } from './student-t.ts';
import { aroundParabola } from './around-parabola.ts';
import { fadingCorrelations, neighbourCorrelation, varianceFactor } from './autocorrelation.ts';
import { mannKendall } from './mann-kendall.ts';
import { medianSlope, pairSlopes, slopeInterval, type Point } from './theil-sen.ts';

export interface TrendTest {
  /** Of value over time, with its 95 % interval. */
  slope: number;
  low: number;
  high: number;
  /** Probability of so clear a trend in a series without one. */
  p: number;
}

/**
 * Whether a series rises or falls, and how fast: the slope of Theil and Sen, and the test of Mann and Kendall corrected
 * for autocorrelation by the effective sample size (Yue and Wang, 2004).
 *
 * That of Hamed and Rao (1998) was tried first: in a stationary series of 48 batches whose intervals have an autocorrelation of 0.5 to 0.9
 * it raised a false alarm in 10 to 20 of 100 cases, since it takes the correlations as they are estimated,
 * too low after a line is removed. Here they are those of a first-order series with the bias of its one
 * estimate added back, and Student's t with the effective degrees of freedom replaces the normal distribution: 2 to 4 of 100.
 * They are taken around a parabola: around a line, growth that levels off would look like autocorrelation and be missed.
 */
export function testTrend(points: readonly Point[]): TrendTest {
  const n = points.length;
  const slopes = pairSlopes(points);
  const slope = medianSlope(slopes);
  const { s, variance } = mannKendall(points.map(({ value }) => value));
  const neighbours = neighbourCorrelation(aroundParabola(points), 3);
  const factor = varianceFactor(n, fadingCorrelations(n, neighbours));
  const error = Math.sqrt(variance * factor);
  const degrees = Math.max(1, n / factor - 2);
  if (error === 0) return { slope: 0, low: 0, high: 0, p: 1 };
  // The continuity correction: S moves in steps of two.
  const z = Math.max(0, Math.abs(s) - 1) / error;
  return {
    slope,
    ...slopeInterval(slopes, tQuantile(0.975, degrees) * error),
    p: Math.min(1, 2 * tTail(z, degrees)),
  };
}
