import type { Figures } from './figures.ts';

/** Describes the figures that are not as expected. A zero on one side may be missing on the other. */
export function differences(expected: Figures, actual: Figures): string[] {
  const names = new Set([...Object.keys(expected), ...Object.keys(actual).filter((name) => actual[name] !== 0)]);
  return [...names]
    .filter((name) => !isSame(expected[name] ?? emptyOf(actual[name]), actual[name] ?? emptyOf(expected[name])))
    .map((name) => `${name}: expected ${String(expected[name])}, was ${String(actual[name])}`);
}

const emptyOf = (other: number | null | undefined): number | null => (other === null ? null : 0);

/**
 * Counts and durations are exact. Rates and shares are quotients, whose last digits may differ, and levels are
 * integrated over whole microseconds.
 */
const isSame = (a: number | null, b: number | null): boolean =>
  a === b || (a !== null && b !== null && !Number.isInteger(a) && Math.abs(a - b) <= 1e-5 * Math.abs(a));
