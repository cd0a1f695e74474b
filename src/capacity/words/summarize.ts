import type { Capacity, SearchOutcome } from '../document/capacity.ts';
import type { Step, LoadUnit } from '../document/step.ts';
import { countOf, formatNumber, formatMs, formatPerSecond, formatShare } from '../../base/format.ts';

type Answer = Pick<Capacity, 'by' | 'bounds' | 'outcome' | 'holds' | 'broken' | 'steps' | 'objectives'>;

/** The answer of a search in one sentence, without a full stop: what holds, what does not, and why it is no more than that. */
export function summarizeCapacity(answer: Answer): string {
  return answerTexts[answer.outcome](answer);
}

const answerTexts: Readonly<Record<SearchOutcome, (answer: Answer) => string>> = {
  found: bothEnds,
  holds_at_max: ({ bounds, by }) =>
    `holds at ${loadText(bounds.max, by)}, the highest load that was allowed: its capacity is beyond`,
  fails_at_min: (answer) =>
    `does not even hold at ${loadText(answer.bounds.min, answer.by)}, the lowest load that was allowed: ${breakText(answer)}`,
  generator_limited: (answer) => `not known: the generator carries no more; ${bothEnds(answer)}`,
  not_recovered: (answer) =>
    `not known: the service did not recover from a load that it could not hold; ${bothEnds(answer)}`,
  undecided: (answer) => `known only roughly: the longest steps leave it open between; ${bothEnds(answer)}`,
  bounded: (answer) => `known only in part: time, turns or cost ran out; ${bothEnds(answer)}`,
  interrupted: (answer) => `known only in part: a signal ended the search; ${bothEnds(answer)}`,
  stopped: (answer) => `known only in part: the search had to stop; ${bothEnds(answer)}`,
};

/** `holds at 180 sessions at a time, shown twice; broken at 200: turn.p95 was 2.31 s, limit 2 s`. */
function bothEnds(answer: Answer): string {
  const { holds, broken, by } = answer;
  const parts = [
    ...(holds === null ? [] : [`holds at ${loadText(holds.load, by)}, shown ${timesText(holds.steps.length)}`]),
    ...(broken === null ? [] : [`broken at ${brokenLoad(answer)}: ${breakText(answer)}`]),
  ];
  return parts.length === 0 ? 'no load was judged' : parts.join('; ');
}

/** Behind a load in full, the number alone says enough. */
function brokenLoad({ holds, broken, by }: Answer): string {
  const text = loadText(broken?.load ?? 0, by);
  return holds === null ? text : (text.split(' ')[0] ?? text);
}

type Broken = Pick<Capacity, 'broken' | 'steps' | 'objectives'>;
type Asked = Capacity['objectives'][number];

/**
 * What broke at the lowest load that does not hold: `turn.p95 was 2.31 s, limit 2 s`, the figure of the last step that
 * shows it. Without a figure of one objective the reason that the search gives; '' where nothing broke.
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

/** Percentiles are judged as shares: their figures are those of the step, where they are over the limit in all of it. */
function actualIn({ objectives, figures }: Step, { metric, limit }: Asked): number | null {
  const seen = objectives.find((each) => each.metric === metric && each.verdict === 'broken');
  if (seen === undefined) return null;
  const figure = { 'turn.p50': figures.turnP50Ms, 'turn.p95': figures.turnP95Ms }[metric] ?? null;
  return seen.actual ?? (figure !== null && figure >= limit ? figure : null);
}

/**
 * How a search came out, as its last line says it. `passed`: there is an answer. `failed`: the service does not do what
 * was asked at any load that was allowed, or the search was ended from outside. `invalid`: no answer, or one in part.
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

/** A load as a sentence has it: `180 sessions at a time`, `12.5 sessions a second`. */
export function loadText(load: number, by: LoadUnit): string {
  if (by === 'concurrency') return `${countOf(load, 'session')} at a time`;
  return `${formatNumber(load)} ${load === 1 ? 'session' : 'sessions'} a second`;
}

/** The unit of loads, as the head of a table has it. */
export const loadUnitTexts: Readonly<Record<LoadUnit, string>> = {
  concurrency: 'sessions at a time',
  rate: 'sessions/s',
};

/** How often something was shown: `once`, `twice`, `3 times`. */
export function timesText(times: number): string {
  return ['never', 'once', 'twice'][times] ?? `${String(times)} times`;
}

/** A figure of an objective in its metric's unit; `-` for none, and a bare number in a unit that is not known here. */
export function figureText(value: number | null, unit: string): string {
  if (value === null) return '-';
  return (formats[unit] ?? formatNumber)(value);
}

/** A limit as somebody would write it: `2 s`, not `2.00 s`. */
export function limitText(limit: number, unit: string): string {
  return figureText(limit, unit)
    .replace(/(\.\d*?)0+(?!\d)/, '$1')
    .replace(/\.(?!\d)/, '');
}

const formats: Readonly<Record<string, (value: number) => string>> = {
  ms: formatMs,
  share: formatShare,
  perSecond: formatPerSecond,
  // Attempts a turn are so close to 1 that differences need more digits.
  ratio: (value) => (value < 9.9995 ? value.toFixed(3) : formatNumber(value)),
};
