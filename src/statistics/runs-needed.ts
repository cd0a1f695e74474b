import { tQuantile } from './student-t.ts';

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
