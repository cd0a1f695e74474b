import { between, ms, type Instant, type Ms } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import { isBrokenOff, type TurnClass } from '../protocol/outcome.ts';
import type { ContentTimes } from './send.ts';

/**
 * Totals of a session's turns. The session is the unit of confidence intervals, because its turns depend on each other.
 */
export interface SessionTally {
  /** Counts of ok and failed turns; aborted and abandoned ones are not counted. */
  turns: number;
  /** Ok within the objectives. */
  good: number;
  attempts: number;
  /** Measured time of backoffs that ended in a retry. */
  lostMs: Ms;
  /** Known cost of all attempts. */
  costNanos: number;
}

/** Facts about a turn that has ended. */
interface TalliedTurn {
  outcome: TurnClass;
  attempts: number;
  firstSentAt: Instant;
  endedAt: Instant;
  content?: ContentTimes | undefined;
}

/** Limits that an ok turn must meet for goodput; `null`: no limit. */
export type PlannedObjectives = Pick<Plan, 'objectiveMs' | 'objectiveFirstTokenMs' | 'objectiveGapMs'>;

export function newSessionTally(): SessionTally {
  return { turns: 0, good: 0, attempts: 0, lostMs: ms(0), costNanos: 0 };
}

/** Adds a turn that has ended. */
export function tallyTurn(
  tally: SessionTally,
  turn: TalliedTurn,
  { lostMs, costNanos, objectives }: { lostMs: Ms; costNanos: number; objectives: PlannedObjectives },
): void {
  tally.costNanos += costNanos;
  if (isBrokenOff(turn.outcome)) return;
  tally.turns += 1;
  tally.attempts += turn.attempts;
  tally.lostMs = ms(tally.lostMs + lostMs);
  if (isGood(turn, objectives)) tally.good += 1;
}

/**
 * Reports whether a turn counts for goodput: ok within all objectives. Its first content is measured from its first
 * send, retries included, like its latency; the first content of a non-streamed reply is its end, and it has no gaps.
 */
export function isGood(
  { outcome, firstSentAt, endedAt, content }: Omit<TalliedTurn, 'attempts'>,
  { objectiveMs, objectiveFirstTokenMs, objectiveGapMs }: PlannedObjectives,
): boolean {
  return (
    outcome === 'ok' &&
    isWithin(objectiveMs, between(firstSentAt, endedAt)) &&
    isWithin(objectiveFirstTokenMs, between(firstSentAt, content?.firstAt ?? endedAt)) &&
    (objectiveGapMs === null || (content?.gapsMs ?? []).every((gap) => gap <= objectiveGapMs))
  );
}

const isWithin = (limit: Ms | null, duration: Ms): boolean => limit === null || duration <= limit;
