import { shareOf, type Tree } from '../figures.ts';
import { unansweredOf } from './published.ts';
import type { Tally } from './tally.ts';

/** Figures of the gates of these runs, and of the built-in gate. */
export function gatesOf(tally: Tally, hasEnded: boolean): Tree {
  const { due, started, dropped } = dueOf(tally);
  const [ok, failed, sent] = [tally.count('turn.ok'), tally.count('turn.failed'), tally.count('turn.sent')];
  const finished = tally.sum('attempt.') - tally.count('attempt.aborted');
  const sessionsFailed = tally.count('session.failed') + tally.count('session.create_failed');
  return {
    'turns.ok': ok + failed > 0 ? ok : null,
    'turns.failedShare': shareOf(failed, ok + failed),
    'sessions.startedShare': hasEnded ? shareOf(started, due) : null,
    'sessions.failedShare': shareOf(sessionsFailed, sessionsFailed + tally.count('session.completed')),
    'sessions.dropped': due > 0 ? dropped : null,
    'goodput.share': shareOf(tally.count('turn.good'), ok + failed),
    'attempts.failedShare': shareOf(finished - tally.count('attempt.ok'), finished),
    'retries.amplification': shareOf(sent + tally.sum('retry.'), sent),
  };
}

/** Codes of the reasons against a run that follow from the measurements (semantics 7). */
export function reasonsOf(
  tally: Tally,
  { whole, endedAt, hasRemedy }: { whole: Tally; endedAt: number; hasRemedy: boolean },
): string[] {
  const { due, started, dropped } = dueOf(tally);
  const [areTurnsLate, areSessionsLate] = [isLate(tally.times('lateness')), isLate(tally.times('sessionLateness'))];
  const unanswered = unansweredOf(tally);
  const hasWarmUp = finishedIn(whole) > finishedIn(tally);
  const isWarmUpAlone = hasWarmUp && tally.count('turn.sent') === 0 && started === 0;
  const isTooLittle = finishedIn(tally) > 0 && finishedIn(tally) * 10 < finishedIn(whole) && finishedIn(tally) < 662;
  // For a run of under 5 s, the only reason about the generator's pace is that it is too short to judge.
  const isShort = endedAt < 5000;
  return Object.entries({
    no_turn_finished: finishedIn(tally) === 0 && !isWarmUpAlone,
    mostly_warm_up: isWarmUpAlone || (hasWarmUp && isTooLittle),
    turns_unanswered: (unanswered.turns.share ?? 0) > 0.01,
    creations_unanswered: (unanswered.creations.share ?? 0) > 0.01,
    turns_late: areTurnsLate && !isShort,
    sessions_late: areSessionsLate && !isShort,
    sessions_not_offered: started < due * 0.95,
    sessions_dropped: dropped > 0,
    too_short: (areTurnsLate || areSessionsLate) && isShort && !hasRemedy,
  }).flatMap(([code, isSeen]) => (isSeen ? [code] : []));
}

const finishedIn = (tally: Tally): number => tally.count('turn.ok') + tally.count('turn.failed');

function isLate(lengths: readonly number[]): boolean {
  const sorted = lengths.toSorted((a, b) => a - b);
  const at = (percent: number): number => sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? 0;
  return at(50) > 10 || at(99) > 500;
}

function dueOf(tally: Tally): { due: number; started: number; dropped: number } {
  const [started, dropped] = [tally.count('session.started'), tally.count('session.dropped')];
  return { due: started + dropped + tally.count('session.not_started_due'), started, dropped };
}
