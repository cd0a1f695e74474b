import type { SideName } from '../../compare/document/side.ts';

/** One run of a comparison in one sitting. */
export interface Leg {
  /** From 1; both runs of a pair have the same sessions. */
  pair: number;
  side: SideName;
}

/**
 * Runs of two releases alternately, base first in odd pairs and head first in even ones: ABBA ABBA AB. Drift affects
 * both alike.
 */
export function interleave(pairs: number, firstPair = 1): Leg[] {
  return Array.from({ length: pairs }, (_, index) => firstPair + index).flatMap((pair) =>
    (pair % 2 === 1 ? (['base', 'head'] as const) : (['head', 'base'] as const)).map((side) => ({ pair, side })),
  );
}
