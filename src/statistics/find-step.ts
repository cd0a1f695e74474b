import { clip } from './clip.ts';
import { effectiveSplits, largestSplit, leastBeside, residualsAround } from './largest-split.ts';
import { mean } from './mean.ts';
import { tQuantile, tTail } from './student-t.ts';
import { neighbourCorrelation } from './autocorrelation.ts';

export interface Step {
  /** The first value after it. */
  index: number;
  /** From the mean before to the mean after, with its 95 % interval. */
  shift: number;
  low: number;
  high: number;
  /** The sum of squared distances from the two means. */
  squares: number;
}

/** Not smaller: the few values after a late step are not outliers. */
const farOut = 8;
/** One false step in a thousand series, or fewer. */
const alpha = 0.001;

/**
 * Where a series moved at once from one level to another; `undefined` where no split is clearer than the clearest one
 * by chance. Outliers are clipped, and the t is shrunk for autocorrelation.
 */
export function findStep(series: readonly number[]): Step | undefined {
  const n = series.length;
  if (n < 4 * leastBeside) return undefined;
  const values = clip(series, farOut);
  const { index, t } = largestSplit(values);
  const residuals = residualsAround(values, index);
  // Two means and where they change: four numbers, by simulation.
  const neighbours = neighbourCorrelation(residuals, 4);
  const shrink = (1 - neighbours) / (1 + neighbours);
  const degrees = Math.max(1, n * shrink - 2);
  const p = effectiveSplits(n) * 2 * tTail(t * Math.sqrt(shrink), degrees);
  if (p > alpha) return undefined;
  const shift = mean(clip(series.slice(index))) - mean(clip(series.slice(0, index)));
  const half = (tQuantile(0.975, degrees) * Math.abs(shift)) / (t * Math.sqrt(shrink));
  const squares = residuals.reduce((sum, value) => sum + value ** 2, 0);
  return { index, shift, low: shift - half, high: shift + half, squares };
}
