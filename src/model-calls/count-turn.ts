import { durationBucket } from '../record/model-counters.ts';
import { positionIndex, positions } from '../record/positions.ts';
import type { LiveTally } from '../record/tally.ts';
import type { AttemptAccount, TurnAccount, TurnEnd } from './accounts.ts';
import { add, countFault, countPositionTokens, faultOf } from './count-call.ts';
import type { RecentMap } from '../base/recent-map.ts';

/** More calls than these share a row of the comparison of turns. */
const maxComparedCalls = 100;

/** Sessions of the latest unique words. */
type Words = Pick<RecentMap<string, number>, 'get'>;

/** Counts the calls of a turn that has ended. */
export function countTurn(tally: LiveTally, turn: TurnAccount, end: TurnEnd, words: Words): void {
  const { counters } = tally;
  const { modelCalls, modelCallsPerTurn, modelPositions, modelTurns } = counters;
  const calls = turn.attempts.flatMap((attempt) => attempt.calls);
  const fault = countFaults(tally, turn, end);
  if (end.outcome !== 'ok') return;
  const last = lastAttemptOf(turn);
  const needed = isUncertain(turn, end.attempts)
    ? calls.length
    : (last?.calls.filter(({ relation }) => relation !== 'repeat').length ?? 0);
  add(modelCallsPerTurn, calls.length);
  modelCalls.okTurnCalls += calls.length;
  modelCalls.neededCalls += needed;
  const position = positionIndex(turn.turn);
  const at = positions[position] ?? '17+';
  modelPositions[`${at}.turns`]++;
  modelPositions[`${at}.calls`] += calls.length;
  for (const call of calls) if (call.end !== undefined) countPositionTokens(tally, turn.turn, call.end);
  const bucket = durationBucket(end.endedUs - end.firstSentUs);
  add(modelTurns, [fault ?? 'none', position, Math.min(needed, maxComparedCalls), bucket].join('|'));
  if (last !== undefined && !isUncertain(turn, end.attempts)) countDelivery(tally, turn, last, words);
}

/** Reports whether the attempts of the calls of a turn are not known: text identifies only the turn. */
export function isUncertain(turn: TurnAccount, attempts = turn.attempts.length): boolean {
  return attempts > 1 && turn.attempts.some(({ calls }) => calls.some(({ attribution }) => attribution === 'matched'));
}

function lastAttemptOf({ attempts }: TurnAccount): AttemptAccount | undefined {
  return attempts.reduce<AttemptAccount | undefined>(
    (last, each) => (last === undefined || each.number > last.number ? each : last),
    undefined,
  );
}

/** Counts the injected faults of a turn and what became of it. Returns the row; `undefined` for a turn without a fault. */
function countFaults(tally: LiveTally, turn: TurnAccount, { outcome, attempts }: TurnEnd): string | undefined {
  const kinds = turn.attempts.flatMap(({ calls }) =>
    calls.flatMap(({ end }) => (end?.outcome === 'injected' ? [faultOf(end.fault)] : [])),
  );
  const [first] = kinds;
  if (first === undefined) return undefined;
  const row = kinds.every((kind) => kind === first) ? first : 'several';
  countFault(tally, row, kinds.length);
  if (outcome === 'aborted') return row;
  const { modelFaults } = tally.counters;
  add(modelFaults, `${row}.turns`);
  if (outcome === 'ok') add(modelFaults, attempts === 1 ? `${row}.okAtOnce` : `${row}.okAfterRetry`);
  else add(modelFaults, outcome === 'abandoned' ? `${row}.abandoned` : `${row}.failed.${outcome}`);
  return row;
}

/** Checks the reply of an ok turn for the word of its last call, and for words of other sessions. */
function countDelivery({ counters }: LiveTally, turn: TurnAccount, last: AttemptAccount, words: Words): void {
  const { modelCalls } = counters;
  const { endedUs = 0, words: received = [] } = last.end ?? {};
  const word = last.calls.findLast(({ arrivedUs }) => arrivedUs <= endedUs)?.end?.word;
  if (word !== undefined) {
    modelCalls.answersChecked++;
    if (received.includes(word)) modelCalls.answersDelivered++;
  }
  const isForeign = (each: string): boolean => (words.get(each) ?? turn.session) !== turn.session;
  if (received.some(isForeign)) modelCalls.foreignWords++;
}
