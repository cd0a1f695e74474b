import type { Result } from './result.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** What of a result decides the exit code. */
export type Judged = Pick<Result, 'run' | 'books' | 'validity' | 'integrity' | 'gates'>;

/**
 * The exit code of a run: 70 its books do not balance, 130 or 143 a signal stopped it, 3 the circuit did (401, 403),
 * 4 it is invalid, 1 a gate failed or had nothing to judge or
 * replies broke the integrity of conversations, else 0. The first in this order that holds.
 */
export function exitCodeOf({ run, books, validity, integrity, gates }: Judged, signal?: StopSignal): number {
  if (books.balanced === false) return 70;
  if (signal !== undefined) return signal === 'SIGINT' ? 130 : 143;
  if (run.status === 'interrupted') return 130;
  if (run.status === 'stopped') return 3;
  if (validity.verdict === 'invalid') return 4;
  if (integrity.verdict === 'fail') return 1;
  return gates.every((gate) => gate.verdict === 'pass') ? 0 : 1;
}

/** The exit code of several runs: that of the one that went worst, 70 before all, then signals, 3, 4 and 1. */
export const worstExitCode = (codes: readonly number[]): number =>
  [70, 130, 143, 3, 4, 1].find((code) => codes.includes(code)) ?? 0;
