import { neighbourCorrelation, clip, mean, scatter, median } from './averages.ts';
import { tQuantile, tTail } from './student-t.ts';
import { medianSlope, pairSlopes } from './test-trend.ts';

export interface Step {
  /** The first value after it. */
  index: number;
  /** Change from the mean before to the mean after, with its 95 % confidence interval. */
  shift: number;
  low: number;
  high: number;
  /** Sum of squared distances from the two means. */
  squares: number;
}

/** Clipping limit; not smaller, because the few values after a late step are not outliers. */
const farOut = 8;
/** At most one false step in a thousand series. */
const alpha = 0.001;

/**
 * Returns the change point of a series between two levels; `undefined` if no split is clearer than the clearest one by
 * chance. Outliers are clipped, and the t is shrunk for autocorrelation.
 */
export function findStep(series: readonly number[]): Step | undefined {
  const n = series.length;
  if (n < 4 * minSegmentLength) return undefined;
  const values = clip(series, farOut);
  const { index, t } = largestSplit(values);
  const residuals = residualsAround(values, index);
  // Number of parameters of a step (two means and the change point), by simulation.
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

/** Minimum number of points on either side of a change. */
const minSegmentLength = 3;

interface Split {
  /** The first point after the split. */
  index: number;
  /** The two-sample t of the two sides. */
  t: number;
}

/** Returns the split with the largest difference by Student's t; the values should be clipped before. */
export function largestSplit(values: readonly number[]): Split {
  const n = values.length;
  // Values are centred on the mean, so that the squares lose no digits.
  const centre = mean(values);
  const sums = { left: 0, all: 0, squares: scatter(values) };
  let best = { index: minSegmentLength, t: -1 };
  for (const [at, value] of values.entries()) {
    sums.left += value - centre;
    const index = at + 1;
    if (index < minSegmentLength || index > n - minSegmentLength) continue;
    const t = tOfSplit({ n, index, ...sums });
    if (t > best.t) best = { index, t };
  }
  return best;
}

/** Returns the residuals of a series: each side of a split without its own mean. */
export function residualsAround(values: readonly number[], index: number): number[] {
  const [left, right] = [mean(values.slice(0, index)), mean(values.slice(index))];
  return values.map((value, at) => value - (at < index ? left : right));
}

/** Returns the number of independent splits that would have as large a maximum as those of `n` points: fitted to simulations of 10 to 120 points. */
export function effectiveSplits(n: number): number {
  return Math.min(n - 5, 11 * Math.log(n / 6));
}

/** Returns the t of a split, from the sum of the values to its left and the sum of all squares; the values must sum to 0. */
function tOfSplit({ n, index, left, squares }: { n: number; index: number; left: number; squares: number }): number {
  const right = n - index;
  const step = Math.abs(left / index + left / right);
  const between = (left * left * n) / (index * right);
  // Rounding must not make a perfect step look infinite or a flat series look like a step.
  const within = Math.max(squares - between, 1e-18);
  return step / Math.sqrt((within / (n - 2)) * (1 / index + 1 / right));
}

export interface Sawtooth {
  /** Positions of falls: the first value after each one. */
  falls: number[];
  /** Median of the falls; positive. */
  depth: number;
}

/** Minimum depth of a fall, in standard deviations of a difference (estimated from the median distance): chance causes none among 600 values. */
const minDepth = 5;
const minFalls = 3;
/** Values between two falls. */
const minLength = 5;
/** Share of a fall that slow growth must recover; otherwise the series jumps and falls back. */
const minMadeUp = 0.5;
/** Maximum single rise, relative to the depth, in the middle of the teeth: a series that rises as suddenly as it falls alternates between two levels. */
const maxAtOnce = 0.7;

/**
 * Detects repeated slow growth with sudden falls, typical of something that fills and is emptied: a leak in a service that
 * is restarted, a cache, a queue. Unlike noise, it does not look the same when time is reversed.
 */
export function findSawtooth(values: readonly number[]): Sawtooth | undefined {
  const falls = fallsOf(values);
  if (falls.length < minFalls) return undefined;
  const teeth = falls.map((fall, at) => values.slice(fall, (falls[at + 1] ?? values.length + 1) - 1));
  const whole = teeth.slice(0, -1);
  if (whole.some((tooth) => tooth.length < minLength)) return undefined;
  const growths = whole.map(growthOf);
  const depths = falls.slice(1).map((fall, at) => median(ends(whole[at] ?? [])) - median(starts(values.slice(fall))));
  const [grown, fallen] = [median(growths), median(depths)];
  if (growths.some((growth) => growth <= 0) || fallen <= 0 || grown < minMadeUp * fallen) return undefined;
  if (median(whole.map(steepestRise)) > maxAtOnce * fallen) return undefined;
  return { falls, depth: fallen };
}

/** Falls from the value before to the value after: a fall within an interval leaves an intermediate value. */
function fallsOf(values: readonly number[]): number[] {
  const changes = values.slice(2).map((value, at) => value - (values[at] ?? value));
  if (changes.length === 0) return [];
  const usual = median(changes);
  const spread = 1.4826 * median(changes.map((change) => Math.abs(change - usual)));
  const isFall = (change: number): boolean => spread > 0 && change - usual < -minDepth * spread;
  return changes.flatMap((change, at) => {
    const [before = 0, after = 0] = [changes[at - 1], changes[at + 1]];
    // A fall shows in two neighbouring changes: the deeper one counts, the first of equals.
    return isFall(change) && change < before && change <= after ? [at + 2] : [];
  });
}

function growthOf(tooth: readonly number[]): number {
  const points = tooth.map((value, at) => ({ at, value }));
  return medianSlope(pairSlopes(points)) * (tooth.length - 1);
}

const steepestRise = (tooth: readonly number[]): number =>
  Math.max(...tooth.slice(2).map((value, at) => value - (tooth[at] ?? value)));

const ends = (tooth: readonly number[]): readonly number[] => tooth.slice(-3);
const starts = (tooth: readonly number[]): readonly number[] => tooth.slice(0, 3);

/** The last tenth, and at least three values, is too short to show its variance. */
const minKept = 3;

/**
 * Returns the number of values to omit at the start of a series so that the rest is steady: it minimises the standard
 * error of the mean of the rest (MSER; White, 1997), up to `max`. A number above half of them means that the series is
 * not steady yet.
 */
export function settlingPoint(values: readonly number[], max = values.length): number {
  const keep = Math.max(minKept, Math.ceil(values.length / 10));
  let [count, sum, squares] = [0, 0, 0];
  let best = { at: 0, error: Infinity };
  const centre = values.at(-1) ?? 0;
  for (let at = values.length - 1; at >= 0; at--) {
    const value = (values[at] ?? 0) - centre;
    count++;
    sum += value;
    squares += value * value;
    if (count < keep || at > max) continue;
    const error = Math.max(0, squares - (sum * sum) / count) / count ** 2;
    if (error <= best.error) best = { at, error };
  }
  return best.at;
}

/** Returns means of neighbours; remaining values at the start join no group. */
export function groupMeans(values: readonly number[], size: number): number[] {
  const left = values.length % size;
  return Array.from({ length: Math.floor(values.length / size) }, (_, group) => {
    const from = left + group * size;
    let sum = 0;
    for (let at = from; at < from + size; at++) sum += values[at] ?? 0;
    return sum / size;
  });
}

/** Strength of a series' return to its mean. */
interface Reversion {
  /** Slope of the regression of each value on the previous one, with a constant. */
  phi: number;
  /** n (1 - phi): about the number of relaxation times that the series is long. */
  statistic: number;
}

/**
 * Tests whether a series returns to its mean, by the coefficient test of Dickey and Fuller (1979) with a constant. For
 * a random walk of any length `statistic` is near 5, because phi is estimated too low, and above 20.7 in 1 of 100
 * (Fuller, 1976, table 8.5.1); for a series with a relaxation time it grows with the length. `null` for constant
 * values, or fewer than 4.
 */
export function dickeyFuller(values: readonly number[]): Reversion | null {
  if (values.length < 4) return null;
  const [before, after] = [values.slice(0, -1), values.slice(1)];
  const [centre, shifted] = [mean(before), mean(after)];
  let [squares, products] = [0, 0];
  before.forEach((value, at) => {
    squares += (value - centre) ** 2;
    products += (value - centre) * ((after[at] ?? 0) - shifted);
  });
  if (squares === 0) return null;
  const phi = products / squares;
  return { phi, statistic: before.length * (1 - phi) };
}
