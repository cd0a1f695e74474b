import { normalCdf } from '../../statistics/normal.ts';
import type { Distribution } from '../document/distribution.ts';
import { invertWhole, type Model } from './model.ts';

export type TurnDistribution = Extract<Distribution, { kind: 'constant' | 'uniform' | 'normal' | 'weights' }>;

/** A distribution of turns a session, as the plan draws them: whole numbers from 1. */
export function turnModel(distribution: TurnDistribution): Model {
  const cdf = cdfOf(distribution);
  return { cdf, quantile: (p) => invertWhole(cdf, p), mean: meanOf(distribution, cdf) };
}

function cdfOf(distribution: TurnDistribution): (x: number) => number {
  switch (distribution.kind) {
    case 'constant':
      return (x) => (x >= distribution.value ? 1 : 0);
    case 'uniform':
      return (x) => shareBelow(x, distribution);
    case 'normal':
      return (x) => (x < 1 ? 0 : normalCdf((Math.floor(x) + 0.5 - distribution.mean) / distribution.sd));
    case 'weights': {
      const total = distribution.ranges.reduce((sum, { weight }) => sum + weight, 0);
      return (x) => distribution.ranges.reduce((sum, range) => sum + (range.weight / total) * shareBelow(x, range), 0);
    }
  }
}

const shareBelow = (x: number, { min, max }: { min: number; max: number }): number =>
  Math.min(1, Math.max(0, (Math.floor(x) - min + 1) / (max - min + 1)));

function meanOf(distribution: TurnDistribution, cdf: (x: number) => number): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.value;
    case 'uniform':
      return (distribution.min + distribution.max) / 2;
    case 'weights': {
      const total = distribution.ranges.reduce((sum, { weight }) => sum + weight, 0);
      return distribution.ranges.reduce((sum, { min, max, weight }) => sum + (weight * (min + max)) / 2 / total, 0);
    }
    case 'normal': {
      // The sum of what is above each whole number: what is drawn is at least 1.
      let sum = 1;
      for (let x = 1; x < distribution.mean + 9 * distribution.sd; x++) sum += 1 - cdf(x);
      return sum;
    }
  }
}
