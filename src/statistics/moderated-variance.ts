import { fQuantile } from './fisher-f.ts';

/** A variance and the degrees of freedom that it is worth: with 0 of them nothing is known. */
export interface Variance {
  variance: number;
  degrees: number;
}

/** Variances below this are rounding errors. */
export const leastVariance = 1e-18;
/** A prior is rejected if what was seen would be less likely than this under it. */
const disbelief = 0.01;

/** Whether a prior variance is too small for the one that was seen, by Fisher's F. */
export function isContradicted(prior: Variance, seen: Variance): boolean {
  if (seen.degrees === 0) return false;
  return seen.variance > prior.variance * fQuantile(1 - disbelief, seen.degrees, prior.degrees) + leastVariance;
}

/**
 * The moderated variance of Smyth (2004): what was seen, drawn towards a prior, each by its degrees of freedom, which
 * must not both be 0.
 */
export function moderate(seen: Variance, prior: Variance): Variance {
  const degrees = seen.degrees + prior.degrees;
  return { variance: (prior.degrees * prior.variance + seen.degrees * seen.variance) / degrees, degrees };
}
