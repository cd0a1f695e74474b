/** Turn positions that are kept apart: a turn's number, or the range that it falls in. */
export const positions = ['1', '2', '3-4', '5-8', '9-16', '17+'] as const;
export type Position = (typeof positions)[number];

/** The index in `positions` of a turn's number, from 1. */
export function positionIndex(turn: number): number {
  if (turn <= 2) return turn - 1;
  return turn <= 4 ? 2 : turn <= 8 ? 3 : turn <= 16 ? 4 : 5;
}

const turnSeries = positions.flatMap((position) => [`turn.${position}.ok`, `turn.${position}.failed`] as const);

/** Every series as it is recorded: each observation goes into exactly one histogram. `turn` is the sum of its positions. */
export const seriesNames = [
  'attempt.ok',
  'attempt.failed',
  'firstByte',
  'connect',
  ...turnSeries,
  'effective.ok',
  'effective.failed',
  'lateness',
  'sessionCreate',
  'sessionLateness',
  'backoff',
  'backoffActual',
  // Turns and creations that were cut in their first attempt, from its send to the cut: in no latency figure.
  'cutTurn',
  'cutCreation',
] as const;
export type SeriesName = (typeof seriesNames)[number];

/** The series of ok or failed turns, by position. */
export function turnSeriesNames(end: 'ok' | 'failed'): SeriesName[] {
  return positions.map((position) => `turn.${position}.${end}` as const);
}
