import { formatInstant } from '../../base/format.ts';
import { exitCodeOf, worstExitCode } from '../../result/exit-code.ts';
import type { Result } from '../../result/result.ts';
import { factsOf } from '../outline/outline.ts';
import type { Fact, Verdict } from '../page/page.ts';
import { modelKind, routeOf, routeText } from '../words/target-text.ts';
import { accuracyText } from './accuracy-text.ts';
import { failureTexts, lengthText, mainExample, titleOf } from './head-section.ts';
import { stopText } from './load-section.ts';
import type { ShownRun } from './shown-run.ts';
import { verdictLine } from './verdict-line.ts';

/** Returns the title of a page: the run’s title; for several runs, their names. */
export function pageTitle(runs: readonly ShownRun[]): string {
  const [first, ...others] = runs;
  return others.length > 0 || first === undefined
    ? `${String(runs.length)} runs: ${runs.map(({ name }) => name).join(', ')}`
    : titleOf(first.result);
}

/** Returns scenario, target, protocol, start and version; for several runs, one fact each. */
export function headFacts(runs: readonly ShownRun[]): Fact[] {
  const facts = runs.map(({ result }) => factsOfRun(result));
  if (runs.length === 1) return facts.flat();
  return runs.map(({ name }, at) => ({
    name,
    text: (facts[at] ?? []).map((fact) => `${fact.name} ${fact.text}`).join('; '),
  }));
}

function factsOfRun(result: Result): Fact[] {
  const { scenario, target, run, transport } = result;
  return factsOf({
    scenario: scenario.name,
    target: `${target.baseUrl ?? 'embedded reference service'}${routeText(routeOf(transport))}`,
    protocol: `${target.protocol}, ${target.stream ? 'streaming' : 'not streamed'}`,
    [modelKind(target.protocol)]: target.agentId === '' ? null : target.agentId,
    started: formatInstant(run.startedAt),
    duration: lengthText(result),
    seed: String(scenario.seed),
    measured: accuracyText(result) || null,
    'chat-load': run.toolVersion,
  });
}

/** Returns the verdict as in the last line of the terminal; for several runs, the number that passed and a note on each. */
export function verdictOf(runs: readonly ShownRun[]): Verdict {
  const [first, ...others] = runs;
  if (first === undefined) return { state: 'neutral', sentence: 'There is no result.', notes: [] };
  const code = worstExitCode(runs.map(({ result }) => exitCodeOf(result)));
  const isDoubtful = runs.some(({ result }) => result.validity.verdict === 'degraded');
  const state = code === 0 ? (isDoubtful ? 'doubtful' : 'passed') : code === 4 ? 'invalid' : 'failed';
  if (others.length === 0) return { state, sentence: verdictLine(first.result), notes: notesOf(first.result) };
  const passed = runs.filter(({ result }) => exitCodeOf(result) === 0).length;
  const all = String(runs.length);
  return {
    state,
    sentence: passed === runs.length ? `All ${all} runs passed.` : `${String(passed)} of ${all} runs passed.`,
    notes: runs.map(({ name, result }) => [`${name}: ${verdictLine(result)}`, ...notesOf(result)].join(' ')),
  };
}

/**
 * Reasons and remedies that are not in the verdict line: of an early end, of doubts about the figures, and of failures,
 * with an example.
 */
function notesOf(result: Result): string[] {
  const line = verdictLine(result);
  const { stop } = result.run;
  const reasons = result.validity.reasons.map(
    ({ severity, message, remedy }) => [`${severity}: ${message}`, message, remedy] as const,
  );
  const stopped = stop === null ? [] : [[`S${stopText(stop).slice(1)}`, stopText(stop), stop.remedy] as const];
  const shown = new Set<string>();
  const notes = [...stopped, ...reasons].flatMap(([sentence, known, remedy]) => {
    // Remedies of several reasons share sentences.
    const advice = (remedy ?? '').split(/(?<=\.) (?=[A-Z])/).filter((each) => each !== '' && !shown.has(each));
    advice.forEach((each) => shown.add(each));
    const parts = [...(line.includes(known) ? [] : [sentence]), ...(advice.length === 0 ? [] : [advice.join(' ')])];
    return parts.length === 0 ? [] : [parts.join('. ')];
  });
  return [...(isAboutFailures(result) ? failureNotes(result) : []), ...notes];
}

/** Reports whether failed requests explain the verdict: after an early end, or because of a gate on them. */
function isAboutFailures({ run, gates }: Result): boolean {
  return (
    (run.stop !== null && run.stop.kind !== 'cap' && run.stop.kind !== 'max_duration') ||
    gates.some(({ metric, verdict }) => verdict !== 'pass' && failureMetric.test(metric))
  );
}
const failureMetric = /^(turns|attempts|sessions|outcomes|goodput|retries|integrity)\./;

function failureNotes(result: Result): string[] {
  const failures = failureTexts(result);
  const example = mainExample(result);
  return [
    ...(failures.length === 0 ? [] : [`Failures: ${failures.join('; ')}`]),
    ...(example === null ? [] : [`Example: ${example}`]),
  ];
}
