/** Turn positions with separate figures: the number of a turn, or its range. */
export const positions = ['1', '2', '3-4', '5-8', '9-16', '17+'] as const;
export type Position = (typeof positions)[number];

export function positionIndex(turn: number): number {
  if (turn <= 2) return turn - 1;
  return turn <= 4 ? 2 : turn <= 8 ? 3 : turn <= 16 ? 4 : 5;
}

/** Formats the turns at a position in sessions of at most `longest` turns: `3` for `3-4` if no session has a fourth turn. */
export function positionText(position: Position, longest: number): string {
  const [from = 0, to = from] = position.endsWith('+')
    ? [Number.parseInt(position), Infinity]
    : position.split('-').map(Number);
  const last = Math.min(to, longest);
  if (last === to || last < from) return position;
  return last === from ? String(from) : `${String(from)}-${String(last)}`;
}
