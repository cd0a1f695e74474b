import { between, ms, type Ms } from '../base/time.ts';
import type { TurnRecord } from './observer.ts';

/** What the turns of one session came to: the unit of all intervals, since turns of a session depend on each other. */
export interface SessionTally {
  /** Ok and failed ones; what was aborted is not counted. */
  turns: number;
  /** Ok within the latency objective. */
  good: number;
  attempts: number;
  /** Lost to backoffs that ended in a retry, as they were. */
  lostMs: Ms;
}

export function newSessionTally(): SessionTally {
  return { turns: 0, good: 0, attempts: 0, lostMs: ms(0) };
}

/** Adds a turn that has ended. */
export function tallyTurn(
  tally: SessionTally,
  turn: TurnRecord,
  { lostMs, objectiveMs }: { lostMs: Ms; objectiveMs: Ms | null },
): void {
  if (turn.outcome === 'aborted') return;
  tally.turns += 1;
  tally.attempts += turn.attempts;
  tally.lostMs = ms(tally.lostMs + lostMs);
  if (isGood(turn, objectiveMs)) tally.good += 1;
}

/** Whether a turn counts for goodput: ok within the objective; `objectiveMs` null: every ok turn does. */
export function isGood(
  { outcome, firstSentAt, endedAt }: Pick<TurnRecord, 'outcome' | 'firstSentAt' | 'endedAt'>,
  objectiveMs: Ms | null,
): boolean {
  return outcome === 'ok' && (objectiveMs === null || between(firstSentAt, endedAt) <= objectiveMs);
}
