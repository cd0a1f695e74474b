/** Turn positions with separate figures: the number of a turn, or its range. */
export const positions = ['1', '2', '3-4', '5-8', '9-16', '17+'] as const;
export type Position = (typeof positions)[number];

export function positionIndex(turn: number): number {
  if (turn <= 2) return turn - 1;
  return turn <= 4 ? 2 : turn <= 8 ? 3 : turn <= 16 ? 4 : 5;
}
