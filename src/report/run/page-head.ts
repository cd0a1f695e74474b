import { exitCodeOf, worstExitCode } from '../../result/exit-code.ts';
import type { Result } from '../../result/result.ts';
import { factsOf } from '../outline/outline.ts';
import type { Fact, Verdict } from '../page/page.ts';
import { agentText, wayOf, wayText } from '../words/target-text.ts';
import { formatMs } from '../../base/format.ts';
import { stopWords } from './load-section.ts';
import type { ShownRun } from './shown-run.ts';
import { verdictLine } from './verdict-line.ts';

/** `peak (release-42)`; of several runs their names. */
export function titleOf(runs: readonly ShownRun[]): string {
  const [first] = runs;
  if (runs.length > 1 || first === undefined)
    return `${String(runs.length)} runs: ${runs.map(({ name }) => name).join(', ')}`;
  const { scenario, run } = first.result;
  return `${scenario.name}${run.label === null ? '' : ` (${run.label})`}`;
}

/** What was run, against what, when and by which version; of several runs a line each. */
export function headFacts(runs: readonly ShownRun[]): Fact[] {
  const [first] = runs;
  if (runs.length === 1 && first !== undefined) return factsOfRun(first.result);
  return runs.map(({ name, result }) => ({
    name,
    text: factsOfRun(result)
      .map(({ name: what, text }) => `${what} ${text}`)
      .join('; '),
  }));
}

function factsOfRun(result: Result): Fact[] {
  const { scenario, target, run, transport } = result;
  return factsOf(
    ['scenario', scenario.name],
    [
      'target',
      `${target.baseUrl ?? 'embedded reference service'}${agentText(target.agentId)}${wayText(wayOf(transport))}`,
    ],
    ['started', run.startedAt],
    ['length', lengthText(result)],
    ['seed', String(scenario.seed)],
    ['chat-load', run.toolVersion],
  );
}

function lengthText({ run: { status, durationMs }, rates: { measuredMs } }: Result): string {
  const measured = measuredMs < durationMs - 1 ? `, measured ${formatMs(measuredMs)} after the warm-up` : '';
  return `${status} after ${formatMs(durationMs)}${measured}`;
}

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
