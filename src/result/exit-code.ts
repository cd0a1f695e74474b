import type { Result } from './result.ts';
import type { Stop } from './sections/run-facts.ts';

/** The exit codes of runs that a signal stopped. */
export const signalExitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export type SignalName = keyof typeof signalExitCodes;

/** What of a result decides the exit code. */
export type JudgedRun = Pick<Result, 'run' | 'books' | 'validity' | 'integrity' | 'gates'>;

/** What decided how a run came out. `stop`: its surroundings stopped it; `gate_stop`: a gate with `abort` did; `checks_stop`: no reply passed the checks. */
type DecidedBy =
  | 'books'
  | 'bug'
  | 'scenario_error'
  | 'caller_error'
  | 'signal'
  | 'interrupted'
  | 'stop'
  | 'invalid'
  | 'integrity'
  | 'gate_stop'
  | 'checks_stop'
  | 'gates'
  | 'none';

/** What decides the exit code of a run: the first that applies, in the order of exit codes. A cap or the longest duration is a normal end: the verdicts decide. */
export function decide({ run, books, validity, integrity, gates }: JudgedRun, signal?: SignalName): DecidedBy {
  if (books.balanced === false) return 'books';
  if (signal !== undefined) return 'signal';
  // A recovered run has a status of its own, and what stopped it.
  const kind = run.stop?.kind;
  if (kind === 'bug' || kind === 'scenario_error' || kind === 'caller_error') return kind;
  if (kind === 'signal') return 'interrupted';
  if (kind === 'checks_failed') return 'checks_stop';
  if (run.status === 'interrupted') return 'interrupted';
  if ((run.status === 'stopped' || run.stop !== null) && !isOrderly(run.stop)) return 'stop';
  if (validity.verdict === 'invalid') return 'invalid';
  if (integrity.verdict === 'fail' || integrity.verdict === 'unsupported') return 'integrity';
  if (run.stop?.kind === 'gate') return 'gate_stop';
  return gates.every((gate) => gate.verdict === 'pass') ? 'none' : 'gates';
}

/**
 * The exit code of a run: 70 its books do not balance, 129, 130 or 143 a signal stopped it, 3 its surroundings did (a refused
 * key, a target that is gone or never says ok, a journal that cannot be written), 4 it is invalid, 1 a gate failed, had
 * nothing to judge or stopped it, or replies broke the integrity of conversations
 * or could not show it, else 0.
 */
export function exitCodeOf(judged: JudgedRun, signal?: SignalName): number {
  const decision = decide(judged, signal);
  return decision === 'signal' ? signalExitCodes[signal ?? 'SIGINT'] : codes[decision];
}

const codes: Readonly<Record<Exclude<DecidedBy, 'signal'>, number>> = {
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

/** Whether the run was stopped by a limit of its scenario: a normal end. */
export function isOrderly(stop: Stop | null): boolean {
  return stop !== null && (stop.kind === 'cap' || stop.kind === 'max_duration' || stop.kind === 'gate');
}

/** The exit code of several runs: that of the worst one, 70 before all, then signals, 3, 2 (an error of the scenario), 4 and 1. */
export function worstExitCode(codes: readonly number[]): number {
  return [70, 129, 130, 143, 3, 2, 4, 1].find((code) => codes.includes(code)) ?? 0;
}
