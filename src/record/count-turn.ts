import { between } from '../base/time.ts';
import { isBrokenOff } from '../protocol/outcome.ts';
import type { TurnRecord } from '../session/observer.ts';
import { isGood, type PlannedObjectives } from '../session/session-tally.ts';
import { countTokens, countTurnContent } from './count-content.ts';
import type { LiveTally } from './live-tally.ts';
import { positionIndex } from './positions.ts';

/** Counts a turn that has ended. One that was aborted or abandoned is in no latency figure. */
export function countTurn(tally: LiveTally, record: TurnRecord, objectives: PlannedObjectives): void {
  const { counters, series } = tally;
  const { outcome, attempts } = record;
  counters.turns[outcome]++;
  increment(counters.turnsByAttempts, attempts);
  if (record.saysToolResults === true) counters.turnFlow.toolTurns++;
  if (record.gaveUp !== undefined) counters.gaveUp[record.gaveUp]++;
  if (isBrokenOff(outcome)) return;
  const took = between(record.firstSentAt, record.endedAt);
  const isOk = outcome === 'ok';
  (isOk ? tally.okTurns : tally.failedTurns)[positionIndex(record.turn)]?.record(took);
  (isOk ? series['effective.ok'] : series['effective.failed']).record(between(record.due, record.endedAt));
  if (record.content !== undefined) countTurnContent(tally, record, record.content.firstAt);
  if (!isOk) return;
  increment(counters.okByAttempts, attempts);
  if (isGood(record, objectives)) counters.turnFlow.good++;
  if (record.usage !== undefined) countTokens(tally, record.usage);
}

function increment(counts: Record<number, number>, attempts: number): void {
  counts[attempts] = (counts[attempts] ?? 0) + 1;
}
