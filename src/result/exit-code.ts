import type { Result } from './result.ts';
import type { Stop } from './stop.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** What of a result decides the exit code. */
export type Judged = Pick<Result, 'run' | 'books' | 'validity' | 'integrity' | 'gates'>;

/**
 * The exit code of a run: 70 its books do not balance, 130 or 143 a signal stopped it, 3 its surroundings did (a refused
 * key, a target that is gone or never says ok, a journal that cannot be written), 4 it is invalid, 1 a gate failed, had
 * nothing to judge or stopped it, or replies broke the integrity of conversations or could not show it, else 0. The first in this order that
 * holds. A cap or the longest duration is an end like any other: the verdicts decide.
 */
export function exitCodeOf({ run, books, validity, integrity, gates }: Judged, signal?: StopSignal): number {
  if (books.balanced === false) return 70;
  if (signal !== undefined) return signal === 'SIGINT' ? 130 : 143;
  if (run.status === 'interrupted') return 130;
  if (run.status === 'stopped' && !isOrderly(run.stop)) return 3;
  if (validity.verdict === 'invalid') return 4;
  if (integrity.verdict === 'fail' || integrity.verdict === 'unsupported') return 1;
  if (run.stop?.kind === 'gate') return 1;
  return gates.every((gate) => gate.verdict === 'pass') ? 0 : 1;
}

/** Whether the run was stopped by what the scenario had set for it: an end like any other. */
export const isOrderly = (stop: Stop | null): boolean =>
  stop !== null && (stop.kind === 'cap' || stop.kind === 'max_duration' || stop.kind === 'gate');

/** The exit code of several runs: that of the one that went worst, 70 before all, then signals, 3, 4 and 1. */
export const worstExitCode = (codes: readonly number[]): number =>
  [70, 130, 143, 3, 4, 1].find((code) => codes.includes(code)) ?? 0;
