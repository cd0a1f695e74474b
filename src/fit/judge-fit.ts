import type { Distribution, FitUnit, QuantityFit } from './document/fit.ts';
import type { Model } from './models/model.ts';

/** Data that a fit is compared with. */
export interface Seen {
  unit: FitUnit;
  count: number;
  zeros: number;
  /** All values or a sample, in ascending order. */
  sorted: readonly number[];
  /** Values are rounded to multiples of it; 0 if they are not rounded. */
  resolution: number;
  mean: number;
}

export interface Candidate {
  distribution: Distribution;
  model: Model;
  parameters: number;
  logLikelihood: number;
}

const shownQuantiles = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99] as const;

/** Distance from which a fit is poor, for any number of values: with a million, every test fails. */
const poorDistance = 0.05;
/** Limit of the error of p95. */
const poorP95 = 0.1;

/** Compares a candidate with the data. */
export function judgeFit(chosen: Candidate, seen: Seen, tried: readonly Candidate[] = [chosen]): QuantityFit {
  const { model, distribution } = chosen;
  const distance = distanceOf(model, seen);
  return {
    unit: seen.unit,
    count: seen.count,
    isSampled: seen.sorted.length < seen.count,
    zeros: seen.zeros,
    distribution,
    considered: tried.map((each) => ({
      kind: each.distribution.kind,
      parameters: each.parameters,
      bic: bicOf(each, seen.count),
      distance: distanceOf(each.model, seen),
    })),
    distance,
    mean: { data: seen.mean, fit: model.mean },
    quantiles: shownQuantiles.map((p) => ({ p, data: quantileOf(seen.sorted, p), fit: model.quantile(p) })),
    poor: [
      ...(distance > Math.max(poorDistance, chanceDistance(distribution.kind, seen.sorted.length))
        ? (['distance'] as const)
        : []),
      ...(isTailOff(model, seen) ? (['p95'] as const) : []),
    ],
  };
}

/** Returns Schwarz' criterion; the lowest is the best. */
export function bicOf({ parameters, logLikelihood }: Candidate, count: number): number {
  return parameters * Math.log(count) - 2 * logLikelihood;
}

/** Returns Kolmogorov's distance; for rounded values, at the middle between two possible ones. */
export function distanceOf({ cdf }: Model, { sorted, resolution }: Pick<Seen, 'sorted' | 'resolution'>): number {
  const half = resolution / 2;
  let distance = 0;
  for (let at = 0; at < sorted.length;) {
    const value = sorted[at] ?? 0;
    const first = at;
    while (sorted[at] === value) at += 1;
    const [below, upTo] = [cdf(half > 0 ? value - half : value), cdf(value + half)];
    distance = Math.max(distance, Math.abs(at / sorted.length - upTo), Math.abs(first / sorted.length - below));
  }
  return distance;
}

/**
 * Returns the distance that about one in a hundred samples of the fitted distribution itself exceeds: fitting brings it
 * nearer to the sample (Lilliefors, 1967 and 1969), except if only its ends are fitted.
 */
const chanceDistance = (kind: Distribution['kind'], count: number): number =>
  (farthest[kind] ?? 1.63) / Math.sqrt(count);

const farthest: Readonly<Partial<Record<Distribution['kind'], number>>> = {
  lognormal: 1.04,
  normal: 1.04,
  exponential: 1.25,
  gamma: 1.25,
};

/** Reports whether p95 of the fit is off by more than a tenth (and the unit of the values), and not by chance. */
function isTailOff(model: Model, { sorted, resolution }: Seen): boolean {
  const [data, fit] = [quantileOf(sorted, 0.95), model.quantile(0.95)];
  if (Math.abs(fit - data) <= Math.max(poorP95 * data, resolution)) return false;
  const below = sorted.filter((value) => value <= fit).length / sorted.length;
  return Math.abs(below - 0.95) > 2.6 * Math.sqrt((0.95 * 0.05) / sorted.length);
}

/** Returns the `p` quantile of sorted values. */
function quantileOf(sorted: readonly number[], p: number): number {
  return sorted[Math.max(0, Math.ceil(p * sorted.length - 1e-9) - 1)] ?? 0;
}
