import { gammaTails } from '../../statistics/gamma.ts';
import { normalCdf, normalQuantile } from '../../statistics/normal.ts';
import type { Distribution } from '../document/distribution.ts';
import { invert, type Model } from './model.ts';

type OfLengths = Exclude<Distribution, { kind: 'normal' | 'weights' }>;

/** A distribution of lengths of time or text, which are 0 or more. */
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
    case 'lognormal':
      return lognormal(distribution);
    case 'gamma': {
      const { mean, burstiness: k } = distribution;
      const cdf = (x: number): number => gammaTails(k, (k * x) / mean).below;
      return { cdf, quantile: (p) => invert(cdf, p, mean), mean };
    }
  }
}

function lognormal({ median, sigma }: { median: number; sigma: number }): Model {
  return {
    cdf: (x) => (x <= 0 ? 0 : normalCdf(Math.log(x / median) / sigma)),
    quantile: (p) => median * Math.exp(sigma * normalQuantile(p)),
    mean: median * Math.exp(sigma ** 2 / 2),
  };
}
