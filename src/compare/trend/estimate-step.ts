import { tQuantile } from '../../statistics/student-t.ts';
import { mean, scatter } from '../../statistics/mean.ts';
import type { Scale } from '../../statistics/scales.ts';
import { clip } from '../../statistics/clip.ts';

interface SegmentPair {
  before: readonly number[];
  after: readonly number[];
  /** Of neighbours within the segments: what they share makes the interval wider. */
  autocorrelation: number;
  scale: Scale;
}

/** The change from one segment of levels to the next, with its 95 % interval by t; outliers are clipped segment by segment. */
export function estimateStep({ before, after, autocorrelation, scale }: SegmentPair): {
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

/** The median distance is unreliable for a few points: those are not clipped. */
const calm = (values: readonly number[]): readonly number[] => (values.length < 10 ? values : clip(values));
