import { between, ms, type Instant, type Ms } from '../base/time.ts';
import type { TurnClass } from '../protocol/outcome.ts';

/** The totals of one session's turns: the unit of all intervals, since turns of a session depend on each other. */
export interface SessionTally {
  /** Ok and failed ones; what was aborted is not counted. */
  turns: number;
  /** Ok within the latency objective. */
  good: number;
  attempts: number;
  /** Lost to backoffs that ended in a retry, as measured. */
  lostMs: Ms;
}

/** What is asked of a turn that has ended. */
interface TalliedTurn {
  outcome: TurnClass;
  attempts: number;
  firstSentAt: Instant;
  endedAt: Instant;
}

export function newSessionTally(): SessionTally {
  return { turns: 0, good: 0, attempts: 0, lostMs: ms(0) };
}

/** Adds a turn that has ended. */
export function tallyTurn(
  tally: SessionTally,
  turn: TalliedTurn,
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
  { outcome, firstSentAt, endedAt }: Omit<TalliedTurn, 'attempts'>,
  objectiveMs: Ms | null,
): boolean {
  return outcome === 'ok' && (objectiveMs === null || between(firstSentAt, endedAt) <= objectiveMs);
}
