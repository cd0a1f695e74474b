import type { SessionTally } from '../session/session-tally.ts';

/**
 * Sums over sessions that completed or failed, and sent a turn: their number, and for turns, good turns, attempts and lost
 * time the sums, the sums of squares, and the sums of the products with the turns. Enough for ratios with standard errors,
 * and integers, so that they merge exactly. Lost time is in microseconds; its squares are split into billions and the rest,
 * since squares of hours exceed the exact range of a number. Costs are known costs, in billionths. `asked` are the requested turns: the turns of these sessions,
 * and those planned for the sessions that could not be created (`refused`), none of which was good.
 */
export const sessionSumNames = [
  'sessions',
  'turns',
  'turnsSquared',
  'good',
  'goodSquared',
  'goodByTurns',
  'attempts',
  'attemptsSquared',
  'attemptsByTurns',
  'lost',
  'lostSquaredBillions',
  'lostSquaredRest',
  'lostByTurns',
  'costNanos',
  'refused',
  'asked',
  'askedSquared',
  'goodByAsked',
] as const;
type SessionSums = Record<(typeof sessionSumNames)[number], number>;

export const lostUnitsPerMs = 1000;
export const billion = 1e9;

export function countSession(sums: SessionSums, { turns, good, attempts, lostMs, costNanos }: SessionTally): void {
  if (turns === 0) return;
  const lost = Math.round(lostMs * lostUnitsPerMs);
  sums.sessions += 1;
  sums.turns += turns;
  sums.turnsSquared += turns * turns;
  sums.good += good;
  sums.goodSquared += good * good;
  sums.goodByTurns += good * turns;
  sums.attempts += attempts;
  sums.attemptsSquared += attempts * attempts;
  sums.attemptsByTurns += attempts * turns;
  sums.lost += lost;
  sums.lostSquaredBillions += Math.floor((lost * lost) / billion);
  sums.lostSquaredRest += (lost * lost) % billion;
  sums.lostByTurns += lost * turns;
  sums.costNanos += costNanos;
  countRequested(sums, turns, good);
}

/** Adds a session that could not be created, with its planned turns. */
export function countRefused(sums: SessionSums, plannedTurns: number): void {
  sums.refused += 1;
  countRequested(sums, plannedTurns, 0);
}

function countRequested(sums: SessionSums, turns: number, good: number): void {
  sums.asked += turns;
  sums.askedSquared += turns * turns;
  sums.goodByAsked += good * turns;
}
