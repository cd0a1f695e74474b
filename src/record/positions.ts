/** Turn positions that are kept apart: a turn's number, or the range that it falls in. */
export const positions = ['1', '2', '3-4', '5-8', '9-16', '17+'] as const;
export type Position = (typeof positions)[number];

/** The index in `positions` of a turn's number, from 1. */
export function positionIndex(turn: number): number {
  if (turn <= 2) return turn - 1;
  return turn <= 4 ? 2 : turn <= 8 ? 3 : turn <= 16 ? 4 : 5;
}
