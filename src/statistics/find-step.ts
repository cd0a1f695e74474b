import { neighbourCorrelation } from './autocorrelation.ts';
import { clip, mean, scatter } from './averages.ts';
import { tQuantile, tTail } from './student-t.ts';

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

/** The number of points required on either side of a change. */
const leastBeside = 3;

interface Split {
  /** The first point after the split. */
  index: number;
  /** The two-sample t of the two sides. */
  t: number;
}

/** Where the two sides of a series differ most, by Student's t; the values should be clipped before. */
export function largestSplit(values: readonly number[]): Split {
  const n = values.length;
  // Around the mean, so that the squares lose no digits.
  const centre = mean(values);
  const sums = { left: 0, all: 0, squares: scatter(values) };
  let best = { index: leastBeside, t: -1 };
  for (const [at, value] of values.entries()) {
    sums.left += value - centre;
    const index = at + 1;
    if (index < leastBeside || index > n - leastBeside) continue;
    const t = tOfSplit({ n, index, ...sums });
    if (t > best.t) best = { index, t };
  }
  return best;
}

/** What remains of a series once each side of a split has lost its own mean. */
export function residualsAround(values: readonly number[], index: number): number[] {
  const [left, right] = [mean(values.slice(0, index)), mean(values.slice(index))];
  return values.map((value, at) => value - (at < index ? left : right));
}

/** The number of independent splits among `n` points that would have as large a best one: fitted to simulations of 10 to 120 points. */
export function effectiveSplits(n: number): number {
  return Math.min(n - 5, 11 * Math.log(n / 6));
}

/** From the sum of the values to the left, and that of the squares of all, of values whose sum is 0. */
function tOfSplit({ n, index, left, squares }: { n: number; index: number; left: number; squares: number }): number {
  const right = n - index;
  const step = Math.abs(left / index + left / right);
  const between = (left * left * n) / (index * right);
  // Rounding must not make a perfect step look infinite or a flat series look like a step.
  const within = Math.max(squares - between, 1e-18);
  return step / Math.sqrt((within / (n - 2)) * (1 / index + 1 / right));
}
