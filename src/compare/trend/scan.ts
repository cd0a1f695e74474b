import { clip, median, mean, scatter } from '../../statistics/averages.ts';
import { effectiveSplits, largestSplit, residualsAround } from '../../statistics/change-points.ts';
import { tTail, tQuantile } from '../../statistics/student-t.ts';
import type { Scale } from '../../statistics/scales.ts';

export interface ScanOptions {
  alpha: number;
  /** Minimum reported change, on the scale of a metric's margin. */
  margin: number;
  scale: Scale;
}

export interface ChangePoint {
  index: number;
  /** Change from the segment before to the segment after: relative, for shares the difference. */
  change: number;
  ci95: { low: number; high: number };
  /** Probability of such a step at any point of an unchanged series. */
  p: number;
  /** Two-sample t at the change, shrunk for autocorrelation. */
  t: number;
}

/**
 * Finds the change points of a series of levels by binary segmentation: the split with the largest two-sample t,
 * outliers clipped, shrunk for autocorrelation and judged as the best of many. In a series whose last 60 points are
 * examined every night, it finds between 0.1 and 0.5 false change points per year at an alpha of 0.001.
 */
export function findChangePoints(points: readonly number[], options: ScanOptions): ChangePoint[] {
  const splits = splitsWithin({ from: 0, to: points.length }, points, options);
  return splits.map(({ index, p, t, autocorrelation }, at) => {
    const before = points.slice(splits[at - 1]?.index ?? 0, index);
    const after = points.slice(index, splits[at + 1]?.index);
    return { index, ...estimateStep({ before, after, autocorrelation, scale: options.scale }), p, t };
  });
}

export const minPoints = 10;

interface ScannedSplit {
  index: number;
  t: number;
  p: number;
  autocorrelation: number;
}

function splitsWithin(
  { from, to }: { from: number; to: number },
  points: readonly number[],
  options: ScanOptions,
): ScannedSplit[] {
  if (to - from < minPoints) return [];
  const values = points.slice(from, to);
  const best = bestSplit(clip(values));
  const { alpha, margin, scale } = options;
  const before = median(values.slice(0, best.index));
  const change = scale.changeOf(before, median(values.slice(best.index)) - before);
  if (best.p > alpha || Math.abs(change) < margin) return [];
  const index = from + best.index;
  return [
    ...splitsWithin({ from, to: index }, points, options),
    { ...best, index },
    ...splitsWithin({ from: index, to }, points, options),
  ];
}

function bestSplit(values: readonly number[]): ScannedSplit {
  const n = values.length;
  const { index, t: raw } = largestSplit(values);
  const autocorrelation = autocorrelationAround(values, index);
  const t = raw * Math.sqrt((1 - autocorrelation) / (1 + autocorrelation));
  return { index, t, p: Math.min(1, effectiveSplits(n) * 2 * tTail(t, n - 2)), autocorrelation };
}

/** Returns the lag-1 autocorrelation of the residuals around both means, corrected for the bias of the estimate. */
function autocorrelationAround(values: readonly number[], index: number): number {
  const residuals = residualsAround(values, index);
  const products = residuals.reduce((sum, value, at) => sum + value * (residuals[at - 1] ?? 0), 0);
  const squares = residuals.reduce((sum, value) => sum + value * value, 0);
  const estimate = products / Math.max(squares, 1e-18) + 1 / values.length;
  return Math.min(0.6, Math.max(0, estimate));
}

interface SegmentPair {
  before: readonly number[];
  after: readonly number[];
  /** Lag-1 autocorrelation within the segments, which widens the interval. */
  autocorrelation: number;
  scale: Scale;
}

/** Estimates the change from one segment of levels to the next, with its 95 % interval by t; outliers are clipped per segment. */
function estimateStep({ before, after, autocorrelation, scale }: SegmentPair): {
  change: number;
  ci95: { low: number; high: number };
} {
  const [left, right] = [calm(before), calm(after)];
  const degrees = left.length + right.length - 2;
  const variance = (scatter(left) + scatter(right)) / degrees;
  const widening = (1 + autocorrelation) / (1 - autocorrelation);
  const half = tQuantile(0.975, degrees) * Math.sqrt(variance * widening * (1 / left.length + 1 / right.length));
  const from = mean(left);
  const shift = mean(right) - from;
  const changeAt = (by: number): number => scale.changeOf(from, by);
  return { change: changeAt(shift), ci95: { low: changeAt(shift - half), high: changeAt(shift + half) } };
}

/** Clips outliers; with few points their median distance is unreliable, so they are not clipped. */
const calm = (values: readonly number[]): readonly number[] => (values.length < 10 ? values : clip(values));
