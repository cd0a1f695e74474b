import type { Result } from './result.ts';
import type { Stop } from './sections/run-facts.ts';

export const signalExitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export type SignalName = keyof typeof signalExitCodes;

export type JudgedRun = Pick<Result, 'run' | 'books' | 'validity' | 'integrity' | 'gates'>;

/** Reason for the exit code. `stop`: the environment stopped the run; `gate_stop`: a gate with `abort` did; `checks_stop`: no reply passed the checks. */
type DecidedBy = keyof typeof codes | 'signal';

/** Returns the first reason that applies, in the order of exit codes. A cap or the maximum duration is a normal end: the verdicts decide. */
export function decide({ run, books, validity, integrity, gates }: JudgedRun, signal?: SignalName): DecidedBy {
  if (books.balanced === false) return 'books';
  if (signal !== undefined) return 'signal';
  // A recovered run has its own status, and the reason that stopped it.
  const kind = run.stop?.kind;
  if (kind === 'bug' || kind === 'scenario_error' || kind === 'caller_error') return kind;
  if (kind === 'signal') return 'interrupted';
  if (kind === 'checks_failed') return 'checks_stop';
  if (kind === 'model_lost') return 'invalid';
  if (run.status === 'interrupted') return 'interrupted';
  if ((run.status === 'stopped' || run.stop !== null) && !isNormalEnd(run.stop)) return 'stop';
  if (validity.verdict === 'invalid') return 'invalid';
  if (integrity.verdict === 'fail' || integrity.verdict === 'unsupported') return 'integrity';
  if (run.stop?.kind === 'gate') return 'gate_stop';
  return gates.every((gate) => gate.verdict === 'pass') ? 'none' : 'gates';
}

/**
 * Returns the exit code of a run: 70 if its consistency checks fail; 129, 130 or 143 if a signal stopped it; 3 if its
 * environment did (a rejected key, an unreachable target or one without successes, an unwritable journal); 4 if it is
 * invalid or lost its model service; 1 if a gate failed, had no data or stopped the run, or if replies broke the
 * integrity of conversations or could not be checked; otherwise 0.
 */
export function exitCodeOf(judged: JudgedRun, signal?: SignalName): number {
  const decision = decide(judged, signal);
  return decision === 'signal' ? signalExitCodes[signal ?? 'SIGINT'] : codes[decision];
}

const codes = {
  books: 70,
  bug: 70,
  scenario_error: 2,
  caller_error: 2,
  interrupted: 130,
  stop: 3,
  invalid: 4,
  integrity: 1,
  gate_stop: 1,
  checks_stop: 1,
  gates: 1,
  none: 0,
};

/** Reports whether a limit of the scenario stopped the run: a normal end. */
export function isNormalEnd(stop: Stop | null): boolean {
  return stop !== null && (stop.kind === 'cap' || stop.kind === 'max_duration' || stop.kind === 'gate');
}

/** Returns the most severe exit code: 70 first, then signals, 3, 2 (scenario error), 4 and 1. */
export function worstExitCode(codes: readonly number[]): number {
  return [70, 129, 130, 143, 3, 2, 4, 1].find((code) => codes.includes(code)) ?? 0;
}
