import { gammaTails, normalCdf, normalDensity, normalQuantile } from '../../statistics/gamma.ts';
import type { Distribution } from '../document/fit.ts';

/** A distribution as functions, in the unit of the fitted quantity. */
export interface Model {
  cdf: (x: number) => number;
  quantile: (p: number) => number;
  mean: number;
}

/** Inverts a rising function at `p` by bisection; the upper bound is found by search. */
function invert(cdf: (x: number) => number, p: number, start: number): number {
  let [low, high] = [0, start];
  while (cdf(high) < p && high < 1e300) [low, high] = [high, high * 2];
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2;
    if (cdf(middle) < p) low = middle;
    else high = middle;
  }
  return high;
}

/** Inverts a rising function at `p` to a whole number from 1. */
function invertWhole(cdf: (x: number) => number, p: number): number {
  let [low, high] = [0, 1];
  // Rounding keeps the sum of many weights a little below 1.
  const target = p - 1e-9;
  while (cdf(high) < target && high < 1e9) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (cdf(middle) < target) low = middle;
    else high = middle;
  }
  return high;
}

export type OfLengths = Exclude<Distribution, { kind: 'normal' | 'weights' }>;

export function modelOf(distribution: OfLengths): Model {
  switch (distribution.kind) {
    case 'constant': {
      const { value } = distribution;
      return { cdf: (x) => (x >= value ? 1 : 0), quantile: () => value, mean: value };
    }
    case 'uniform': {
      const { min, max } = distribution;
      const cdf = (x: number): number => Math.min(1, Math.max(0, (x - min) / (max - min)));
      return { cdf, quantile: (p) => min + p * (max - min), mean: (min + max) / 2 };
    }
    case 'exponential': {
      const { mean } = distribution;
      return { cdf: (x) => -Math.expm1(-Math.max(0, x) / mean), quantile: (p) => -mean * Math.log1p(-p), mean };
    }
    case 'lognormal': {
      const { median, sigma } = distribution;
      return {
        cdf: (x) => (x <= 0 ? 0 : normalCdf(Math.log(x / median) / sigma)),
        quantile: (p) => median * Math.exp(sigma * normalQuantile(p)),
        mean: median * Math.exp(sigma ** 2 / 2),
      };
    }
    case 'gamma': {
      const { mean, burstiness: k } = distribution;
      const cdf = (x: number): number => gammaTails(k, (k * x) / mean).below;
      return { cdf, quantile: (p) => invert(cdf, p, mean), mean };
    }
  }
}

/** Summary of values, some of which are only known to be below `bound`. */
interface Censored {
  /** Number, mean and variance (over their number) of the known values. */
  known: number;
  mean: number;
  variance: number;
  below: number;
  bound: number;
}

/** Returns mean and standard deviation of a normal distribution by maximum likelihood (the EM algorithm; closed form if no value is below). */
export function fitCensoredNormal({ known, mean, variance, below, bound }: Censored): { mean: number; sd: number } {
  let [m, sd] = [mean, Math.sqrt(variance)];
  if (below === 0 || sd === 0) return { mean: m, sd };
  const share = below / (below + known);
  for (let step = 0; step < 500; step++) {
    const z = (bound - m) / sd;
    const hazard = normalDensity(z) / Math.max(1e-300, normalCdf(z));
    const hiddenMean = m - sd * hazard;
    const hiddenVariance = sd * sd * Math.max(0, 1 - z * hazard - hazard * hazard);
    const nextMean = share * hiddenMean + (1 - share) * mean;
    const next = Math.sqrt(
      share * (hiddenVariance + (hiddenMean - nextMean) ** 2) + (1 - share) * (variance + (mean - nextMean) ** 2),
    );
    const moved = Math.abs(next - sd) + Math.abs(nextMean - m);
    [m, sd] = [nextMean, next];
    if (moved < 1e-9 * sd) break;
  }
  return { mean: m, sd };
}

export type TurnDistribution = Extract<Distribution, { kind: 'constant' | 'uniform' | 'normal' | 'weights' }>;

/** Returns the model of a distribution of turns per session, as the plan draws them: whole numbers from 1. */
export function turnModel(distribution: TurnDistribution): Model {
  const { cdf, mean } = cdfAndMean(distribution);
  return { cdf, quantile: (p) => invertWhole(cdf, p), mean };
}

function cdfAndMean(distribution: TurnDistribution): Pick<Model, 'cdf' | 'mean'> {
  switch (distribution.kind) {
    case 'constant':
      return { cdf: (x) => (x >= distribution.value ? 1 : 0), mean: distribution.value };
    case 'uniform':
      return { cdf: (x) => shareBelow(x, distribution), mean: (distribution.min + distribution.max) / 2 };
    case 'weights': {
      const { ranges } = distribution;
      const total = ranges.reduce((sum, { weight }) => sum + weight, 0);
      return {
        cdf: (x) => ranges.reduce((sum, range) => sum + (range.weight / total) * shareBelow(x, range), 0),
        mean: ranges.reduce((sum, { min, max, weight }) => sum + (weight * (min + max)) / 2 / total, 0),
      };
    }
    case 'normal': {
      const cdf = (x: number): number =>
        x < 1 ? 0 : normalCdf((Math.floor(x) + 0.5 - distribution.mean) / distribution.sd);
      // The mean is 1 plus the sum of the tails above each whole number, because draws are at least 1.
      let mean = 1;
      for (let x = 1; x < distribution.mean + 9 * distribution.sd; x++) mean += 1 - cdf(x);
      return { cdf, mean };
    }
  }
}

const shareBelow = (x: number, { min, max }: { min: number; max: number }): number =>
  Math.min(1, Math.max(0, (Math.floor(x) - min + 1) / (max - min + 1)));
