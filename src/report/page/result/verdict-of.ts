import { exitCodeOf, worstExitCode } from '../../../result/exit-code.ts';
import type { Result } from '../../../result/result.ts';
import { stopWords } from '../../run/end-lines.ts';
import { verdictLine } from '../../run/verdict-line.ts';
import type { Verdict } from '../page.ts';
import type { ShownRun } from './shown/shown-run.ts';

/** The verdict as the last line of the terminal has it; of several runs that of the worst, and each in the notes. */
export function verdictOf(runs: readonly ShownRun[]): Verdict {
  const code = worstExitCode(runs.map(({ result }) => exitCodeOf(result)));
  const worst = runs.find(({ result }) => exitCodeOf(result) === code) ?? runs[0];
  if (worst === undefined) return { state: 'neutral', sentence: 'There is no result.', notes: [] };
  const line = verdictLine(worst.result);
  if (runs.length === 1) return { state: stateOf(code), sentence: line, notes: notesOf(worst.result) };
  return {
    state: stateOf(code),
    sentence: `${worst.name}: ${line}`,
    notes: runs.map(({ name, result }) => [`${name}: ${verdictLine(result)}`, ...notesOf(result)].join(' ')),
  };
}

const stateOf = (code: number): Verdict['state'] => (code === 0 ? 'passed' : code === 4 ? 'invalid' : 'failed');

/** Why the run ended before its end, and why its figures are not simply valid, with what to do about it. */
function notesOf({ run: { stop }, validity: { reasons } }: Result): string[] {
  const stopped = stop === null ? [] : [`S${sentences(stopWords(stop), stop.remedy).slice(1)}`];
  return [...stopped, ...reasons.map(({ severity, message, remedy }) => `${severity}: ${sentences(message, remedy)}`)];
}

const sentences = (what: string, remedy: string | null): string => (remedy === null ? what : `${what}. ${remedy}`);
