import { printable } from '../base/printable.ts';
import type { SlowTurn } from '../record/slow-turns.ts';
import type { AttemptAccount, CallAccount, TurnAccount, TurnEnd } from './accounts.ts';

const maxCalls = 200;
const maxNameLength = 100;

/** Describes a slow turn. */
export function slowTurnOf(turn: TurnAccount, end: TurnEnd, redact: (text: string) => string): SlowTurn {
  const { session, turn: number, attempts } = turn;
  let left = maxCalls;
  const since = (us: number): number => Math.max(0, us - end.firstSentUs) / 1000;
  const callOf = ({ arrivedUs, end: ended, api, model, relation }: CallAccount): Call => ({
    offsetMs: since(arrivedUs),
    durationMs: ended === undefined ? null : (ended.endedUs - arrivedUs) / 1000,
    outcome: ended?.outcome ?? null,
    api,
    model: redact(printable(model)).slice(0, maxNameLength),
    isRepeat: relation === 'repeat',
  });
  const attemptOf = ({ traceId, begin, end: ended, calls }: AttemptAccount): SlowTurn['attempts'] => {
    if (begin === undefined || ended === undefined) return [];
    const kept = calls.slice(0, left);
    left -= kept.length;
    const [offsetMs, durationMs] = [since(begin.sentUs), (ended.endedUs - begin.sentUs) / 1000];
    return [{ offsetMs, durationMs, outcome: ended.outcome, traceId, calls: kept.map(callOf) }];
  };
  return {
    session,
    turn: number,
    outcome: end.outcome,
    atMs: Math.max(0, end.firstSentUs) / 1000,
    durationMs: (end.endedUs - end.firstSentUs) / 1000,
    attempts: attempts.toSorted((a, b) => a.number - b.number).flatMap(attemptOf),
  };
}

type Call = SlowTurn['attempts'][number]['calls'][number];
