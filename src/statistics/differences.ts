import { fQuantile, tQuantile } from './student-t.ts';

/** A variance and its degrees of freedom; with 0 degrees it contains no information, with infinite ones it is known. */
export interface Variance {
  variance: number;
  degrees: number;
}

/** Variances below this are rounding errors. */
export const minVariance = 1e-18;
/** A prior is rejected if the observation would be less likely than this under it. */
const disbelief = 0.01;

/** Reports whether a prior variance is too small for the observed one, by Fisher's F. */
export function isContradicted(prior: Variance, seen: Variance): boolean {
  if (seen.degrees === 0) return false;
  return seen.variance > prior.variance * fQuantile(1 - disbelief, seen.degrees, prior.degrees) + minVariance;
}

/**
 * Returns the moderated variance of Smyth (2004): the observed one, shrunk towards a prior, weighted by their degrees
 * of freedom, which must not both be 0. A prior with infinite degrees of freedom is known, and returned.
 */
export function moderate(seen: Variance, prior: Variance): Variance {
  if (prior.degrees === Infinity) return prior;
  const degrees = seen.degrees + prior.degrees;
  return { variance: (prior.degrees * prior.variance + seen.degrees * seen.variance) / degrees, degrees };
}

/** The noise of a difference, as far as it decides the number of observations needed. */
export interface DifferenceNoise {
  variance: number;
  /** Number of observations in a difference: 1 for pairs, otherwise 2. */
  sides: 1 | 2;
  /** Known before any observation. */
  priorDegreesOfFreedom: number;
}

/** Returns the shift, in standard errors, that is found in four of five cases at 5 %. */
export function reachOf(degrees: number): number {
  return degrees > 30 ? 2.8 : tQuantile(0.975, degrees) + tQuantile(0.8, degrees);
}

/** Returns the number of observations per side (pairs, runs or batches of runs) to detect a shift in four of five cases, with the noise observed here. */
export function observationsNeeded({ variance, sides, priorDegreesOfFreedom }: DifferenceNoise, shift: number): number {
  // Fewer degrees of freedom only need more observations, so the search starts with many.
  let needed = Math.max(2, Math.ceil(sides * variance * (reachOf(Infinity) / shift) ** 2));
  const finds = (observations: number): boolean =>
    reachOf(priorDegreesOfFreedom + sides * (observations - 1)) * Math.sqrt((sides * variance) / observations) <= shift;
  while (!finds(needed)) needed++;
  return needed;
}

/**
 * Returns the p-values of a family, in the given order, adjusted for the false discovery rate: of the values up to q, at most
 * a share q is false (Benjamini and Hochberg, 1995).
 */
export function adjustForFamily(ps: readonly number[]): number[] {
  const order = ps.map((_, index) => index).sort((a, b) => (ps[b] ?? 0) - (ps[a] ?? 0));
  const adjusted = [...ps];
  let min = 1;
  order.forEach((index, above) => {
    min = Math.min(min, ((ps[index] ?? 1) * ps.length) / (ps.length - above));
    adjusted[index] = min;
  });
  return adjusted;
}

/** Returns the p-value up to which a new member of a family would be adjusted to at most q, next to the p-values of the others. */
export function levelAmong(others: readonly number[], q: number): number {
  const members = others.length + 1;
  const levels = Array.from({ length: members }, (_, above) => (q * (members - above)) / members);
  // The largest level at which enough of the others are below it, as in the adjustment; alone, q / members.
  const isReached = (level: number, above: number): boolean =>
    others.filter((p) => p <= level).length >= members - above - 1;
  return levels.find(isReached) ?? q / members;
}
