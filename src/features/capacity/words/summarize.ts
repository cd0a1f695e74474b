import type { Capacity, SearchOutcome } from '../document/capacity.ts';
import type { Step, LoadUnit } from '../document/step.ts';
import { countOf, formatNumber, formatMs, formatPerSecond, formatShare } from '../../../base/format.ts';

type Answer = Pick<Capacity, 'by' | 'bounds' | 'outcome' | 'holds' | 'broken' | 'steps' | 'objectives'>;

/** Summarizes the answer of a search in one sentence, without a full stop: passing and failing loads, and why it is limited. */
export function summarizeCapacity(answer: Answer): string {
  return answerTexts[answer.outcome](answer);
}

const answerTexts: Readonly<Record<SearchOutcome, (answer: Answer) => string>> = {
  found: bothEnds,
  holds_at_max: ({ bounds, by }) =>
    `sustains ${loadText(bounds.max, by)}, the maximum load of the search: the capacity is higher`,
  fails_at_min: (answer) =>
    `does not sustain ${loadText(answer.bounds.min, answer.by)}, the minimum load of the search: ${breakText(answer)}`,
  generator_limited: (answer) => `not known: ${unsentText(answer)}; ${bothEnds(answer)}`,
  not_recovered: (answer) => `not known: the service did not recover from an overload; ${bothEnds(answer)}`,
  undecided: (answer) => `approximate: even the longest steps were undecided between the ends; ${bothEnds(answer)}`,
  bounded: (answer) => `incomplete: the ${budgetsText(answer.bounds)} ran out; ${bothEnds(answer)}`,
  interrupted: (answer) => `incomplete: a signal ended the search; ${bothEnds(answer)}`,
  stopped: (answer) => `incomplete: the search had to stop; ${bothEnds(answer)}`,
};

/** Names the budgets of a search: `time or cost budget`. */
function budgetsText({ maxDurationMs, maxTurns, maxSessions, maxCost }: Capacity['bounds']): string {
  const names = Object.entries({ time: maxDurationMs, turn: maxTurns, session: maxSessions, cost: maxCost });
  return `${names.flatMap(([name, limit]) => (limit === null ? [] : [name])).join(' or ')} budget`;
}

/** Formats both ends: `sustains 180 concurrent sessions, confirmed by 2 steps; fails at 200: turn.p95 was 2.31 s, limit 2 s`. */
function bothEnds(answer: Answer): string {
  const { holds, broken, by } = answer;
  const parts = [
    ...(holds === null ? [] : [`sustains ${loadText(holds.load, by)}, ${shownText(holds.steps.length)}`]),
    ...(broken === null ? [] : [`fails at ${brokenLoad(answer)}: ${breakText(answer)}`]),
  ];
  if (parts.length > 0) return parts.join('; ');
  const seen = [unshownText(answer, 'holds'), unshownText(answer, 'broken')].filter((text) => text !== undefined);
  return seen.length === 0 ? 'no load could be judged' : `no load could be judged with certainty: ${seen.join('; ')}`;
}

/** Describes the lowest load without evidence: `120 concurrent sessions could not be offered as planned (step 7)`. */
function unsentText({ steps, by }: Answer): string {
  const [lowest] = steps
    .filter(({ verdict, by: of = by }) => verdict === 'no_evidence' && of === by)
    .toSorted((a, b) => a.load - b.load);
  return lowest === undefined
    ? 'a higher load could not be offered as planned'
    : `${loadText(lowest.load, by)} could not be offered as planned (step ${String(lowest.number)})`;
}

/** Describes the steps of a verdict that no end of the range relies on: `step 4 failed at 120 concurrent sessions`; `undefined` without any. */
export function unshownText(
  { steps, by }: Pick<Answer, 'steps' | 'by'>,
  verdict: 'holds' | 'broken',
): string | undefined {
  const found = steps.filter((step) => step.verdict === verdict);
  const [first] = found;
  if (first === undefined) return undefined;
  const numbers = found.map(({ number }) => String(number)).join(', ');
  const loads = [...new Set(found.map((step) => loadText(step.load, step.by ?? by)))].join(', ');
  return `${found.length === 1 ? 'step' : 'steps'} ${numbers} ${verdict === 'holds' ? 'passed' : 'failed'} at ${loads}`;
}

/** Omits the unit after a load that has one. */
function brokenLoad({ holds, broken, by }: Answer): string {
  const text = loadText(broken?.load ?? 0, by);
  return holds === null ? text : (text.split(' ')[0] ?? text);
}

type Broken = Pick<Capacity, 'broken' | 'steps' | 'objectives'>;
type PublishedObjective = Capacity['objectives'][number];

/**
 * Describes the failure at the lowest failing load: `turn.p95 was 2.31 s, limit 2 s`, by the last step that shows it.
 * If no objective has a value, returns the reason of the search; '' if nothing failed.
 */
export function breakText({ broken, steps, objectives }: Broken): string {
  if (broken === null) return '';
  const asked = objectives.find(({ metric }) => metric === broken.objective);
  if (asked === undefined) return broken.reason;
  const { metric, unit, limit } = asked;
  const of = steps.filter(({ number }) => broken.steps.includes(number));
  const figure = of.flatMap((step) => actualIn(step, asked) ?? []).at(-1);
  if (figure === undefined) return broken.reason;
  return `${metric} was ${figureText(figure, unit)}, limit ${limitText(limit, unit)}`;
}

/** Percentiles are judged as shares: uses the value of the whole step if it is over the limit. */
function actualIn({ objectives, figures }: Step, { metric, limit }: PublishedObjective): number | null {
  const seen = objectives.find((each) => each.metric === metric && each.verdict === 'broken');
  if (seen === undefined) return null;
  const figure = { 'turn.p50': figures.turnP50Ms, 'turn.p95': figures.turnP95Ms }[metric] ?? null;
  return seen.actual ?? (figure !== null && figure >= limit ? figure : null);
}

/**
 * Verdict of the last line. `passed`: there is an answer. `failed`: no allowed load meets the objectives, or the search was
 * ended from outside. `invalid`: no answer, or an incomplete one.
 */
export const outcomeVerdicts: Readonly<Record<SearchOutcome, 'passed' | 'failed' | 'invalid'>> = {
  found: 'passed',
  holds_at_max: 'passed',
  fails_at_min: 'failed',
  generator_limited: 'invalid',
  not_recovered: 'failed',
  undecided: 'invalid',
  bounded: 'invalid',
  interrupted: 'failed',
  stopped: 'failed',
};

/** Formats a load in a sentence: `180 concurrent sessions`, `12.5 sessions/s`. */
export function loadText(load: number, by: LoadUnit): string {
  if (by === 'concurrency') return countOf(load, 'concurrent session');
  return `${formatNumber(load)} ${load === 1 ? 'session' : 'sessions'}/s`;
}

export const loadUnitTexts: Readonly<Record<LoadUnit, string>> = {
  concurrency: 'concurrent sessions',
  rate: 'sessions/s',
};

/** Describes the evidence for an end of the range. */
export function shownText(steps: number): string {
  return steps === 1 ? 'in one step, not confirmed' : `confirmed by ${countOf(steps, 'step')}`;
}

/** Formats a figure in its metric's unit; `-` for none, and a bare number for an unknown unit. */
export function figureText(value: number | null, unit: string): string {
  if (value === null) return '-';
  return (formats[unit] ?? formatNumber)(value);
}

/** Formats a limit without trailing zeros: `2 s`, not `2.00 s`. */
export function limitText(limit: number, unit: string): string {
  return figureText(limit, unit)
    .replace(/(\.\d*?)0+(?!\d)/, '$1')
    .replace(/\.(?!\d)/, '');
}

const formats: Readonly<Record<string, (value: number) => string>> = {
  ms: formatMs,
  share: formatShare,
  perSecond: formatPerSecond,
  // Attempts per turn are so close to 1 that differences need more digits.
  ratio: (value) => (value < 9.9995 ? value.toFixed(3) : formatNumber(value)),
};
