import { exitCodeOf, worstExitCode } from '../../../result/exit-code.ts';
import type { Result } from '../../../result/result.ts';
import { stopWords } from '../../run/end-lines.ts';
import { verdictLine } from '../../run/verdict-line.ts';
import type { Verdict } from '../page.ts';
import type { ShownRun } from './shown/shown-run.ts';

/** The verdict as the last line of the terminal has it; of several runs how many passed, and each in the notes. */
export function verdictOf(runs: readonly ShownRun[]): Verdict {
  const [first, ...others] = runs;
  if (first === undefined) return { state: 'neutral', sentence: 'There is no result.', notes: [] };
  const code = worstExitCode(runs.map(({ result }) => exitCodeOf(result)));
  const isDoubtful = runs.some(({ result }) => result.validity.verdict === 'degraded');
  const state = code === 0 ? (isDoubtful ? 'doubtful' : 'passed') : code === 4 ? 'invalid' : 'failed';
  if (others.length === 0) return { state, sentence: verdictLine(first.result), notes: notesOf(first.result) };
  return {
    state,
    sentence: howMany(runs),
    notes: runs.map(({ name, result }) => [`${name}: ${verdictLine(result)}`, ...notesOf(result)].join(' ')),
  };
}

function howMany(runs: readonly ShownRun[]): string {
  const passed = runs.filter(({ result }) => exitCodeOf(result) === 0).length;
  const all = String(runs.length);
  return passed === runs.length ? `All ${all} runs passed.` : `${String(passed)} of ${all} runs passed.`;
}

/**
 * Why the run ended before its end, and why its figures are not simply valid, with what to do about it; only the latter
 * of what the line of the verdict says already.
 */
function notesOf(result: Result): string[] {
  const line = verdictLine(result);
  const reasons = result.validity.reasons.map(({ severity, message, remedy }) => [
    `${severity}: ${message}`,
    message,
    remedy,
  ]);
  const stop = result.run.stop;
  const stopped = stop === null ? [] : [[`S${stopWords(stop).slice(1)}`, stopWords(stop), stop.remedy]];
  return [...stopped, ...reasons]
    .map(([sentence, known, remedy]) => [line.includes(known ?? '') ? null : sentence, remedy])
    .map((parts) => parts.filter((part) => part !== null).join('. '))
    .filter((note) => note !== '');
}
