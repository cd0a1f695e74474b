import { between, type Ms } from '../base/time.ts';
import type { TurnRecord } from '../session/observer.ts';
import { isGood } from '../session/session-tally.ts';
import type { LiveTally } from './live-tally.ts';
import { positionIndex } from './series.ts';

/** Counts a turn that has ended. One that was aborted is in no latency figure. `objectiveMs` null: every ok turn is good. */
export function countTurn(tally: LiveTally, record: TurnRecord, objectiveMs: Ms | null): void {
  const { counters, series } = tally;
  const { outcome, attempts } = record;
  counters.turns[outcome]++;
  increment(counters.turnsByAttempts, attempts);
  if (record.saysToolResults === true) counters.turnFlow.toolTurns++;
  if (record.gaveUp !== undefined) counters.gaveUp[record.gaveUp]++;
  if (outcome === 'aborted') return;
  const took = between(record.firstSentAt, record.endedAt);
  const isOk = outcome === 'ok';
  (isOk ? tally.okTurns : tally.failedTurns)[positionIndex(record.turn)]?.record(took);
  (isOk ? series['effective.ok'] : series['effective.failed']).record(between(record.due, record.endedAt));
  if (!isOk) return;
  increment(counters.okByAttempts, attempts);
  if (isGood(record, objectiveMs)) counters.turnFlow.good++;
}

function increment(counts: Record<number, number>, attempts: number): void {
  counts[attempts] = (counts[attempts] ?? 0) + 1;
}
