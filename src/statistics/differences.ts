import { fQuantile, tQuantile } from './student-t.ts';

/** A variance and the degrees of freedom that it is worth: with 0 of them nothing is known. */
export interface Variance {
  variance: number;
  degrees: number;
}

/** Variances below this are rounding errors. */
export const minVariance = 1e-18;
/** A prior is rejected if what was seen would be less likely than this under it. */
const disbelief = 0.01;

/** Whether a prior variance is too small for the one that was seen, by Fisher's F. */
export function isContradicted(prior: Variance, seen: Variance): boolean {
  if (seen.degrees === 0) return false;
  return seen.variance > prior.variance * fQuantile(1 - disbelief, seen.degrees, prior.degrees) + minVariance;
}

/**
 * The moderated variance of Smyth (2004): what was seen, drawn towards a prior, each by its degrees of freedom, which
 * must not both be 0.
 */
export function moderate(seen: Variance, prior: Variance): Variance {
  const degrees = seen.degrees + prior.degrees;
  return { variance: (prior.degrees * prior.variance + seen.degrees * seen.variance) / degrees, degrees };
}

/** The noise of a difference, as far as it decides the number of observations needed. */
export interface DifferenceNoise {
  /** Of one observation. */
  variance: number;
  /** How many observations a difference takes: 1 of pairs, else 2. */
  sides: 1 | 2;
  /** Known before any observation. */
  priorDegreesOfFreedom: number;
}

/** The shift, in standard errors, that is found in four of five cases at 5 %. */
export function reachOf(degrees: number): number {
  return degrees > 30 ? 2.8 : tQuantile(0.975, degrees) + tQuantile(0.8, degrees);
}

/**
 * How many observations a side (pairs, runs or sittings) it takes to find a shift in four of five cases, where the noise
 * is what it was here.
 */
export function observationsNeeded({ variance, sides, priorDegreesOfFreedom }: DifferenceNoise, shift: number): number {
  // Fewer degrees of freedom only need more, so that the search starts where there are many.
  let needed = Math.max(2, Math.ceil(sides * variance * (reachOf(Infinity) / shift) ** 2));
  const finds = (observations: number): boolean =>
    reachOf(priorDegreesOfFreedom + sides * (observations - 1)) * Math.sqrt((sides * variance) / observations) <= shift;
  while (!finds(needed)) needed++;
  return needed;
}

/**
 * The p-values of a family, adjusted so that calling those of at most q makes at most a share q of the calls false
 * (Benjamini and Hochberg, 1995). In the order given.
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
