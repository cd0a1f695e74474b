import type { Capacity } from '../../capacity/document/capacity.ts';
import { limitText, loadUnitTexts, timesText, loadText } from '../../capacity/words/summarize.ts';
import { factsOf } from '../outline/outline.ts';
import type { Fact } from '../page/page.ts';
import { countOf, formatCount, formatMs, formatNumber, formatRate, formatShare } from '../../base/format.ts';
import { boundsText } from './outcome-words.ts';

/** What was asked, and of whom. */
export function askedFacts(capacity: Capacity): Fact[] {
  const { scenario, objectives, by, bounds, spent, elapsedMs, steps } = capacity;
  const asked = objectives
    .filter(({ isGuard }) => !isGuard)
    .map(({ metric, condition }) => `${metric} ${condition}`)
    .join('; ');
  const range = `${formatNumber(bounds.min)} to ${formatNumber(bounds.max)} ${loadUnitTexts[by]}`;
  const costs = spent.cost === 0 ? [] : [`a cost of ${formatNumber(spent.cost)}`];
  const messages = `${countOf(steps.length, 'step')} in ${formatMs(elapsedMs)}, ${countOf(spent.turns, 'message')} in ${countOf(spent.sessions, 'session')}`;
  return factsOf(
    ['target', `${scenario.target ?? 'embedded reference service'}, ${scenario.protocol}`],
    ['asked', `${asked}; ${range}, to within ${formatShare(bounds.tolerance)}`],
    ['spent', [messages, ...costs, boundsText(bounds)].join('; ')],
  );
}

/** What was found: why at the edge, where more load stops to pay, whether the figures fit together, what it means for a day. */
export function foundFacts(capacity: Capacity): Fact[] {
  const { holds, broken, by } = capacity;
  const apart =
    holds === null || broken === null || holds.load === 0
      ? ''
      : `; the ends are ${formatShare(broken.load / holds.load - 1)} apart`;
  return factsOf(
    ['holds', holds && `at ${loadText(holds.load, by)}, ${shownText(holds.steps)}`],
    ['broken', broken && `at ${loadText(broken.load, by)}, ${shownText(broken.steps)}${apart}`],
    ['why', broken && whyText(broken)],
    ['failures', failureText(capacity)],
    ['knee', kneeText(capacity)],
    ['queue', queueText(capacity)],
    ['day', dayText(capacity)],
    ['recovery', recoveryText(capacity)],
  ).map(({ name, text }) => ({ name, text: text.replace(/\.$/, '') }));
}

function whyText({ objective, reason, isSaturated }: NonNullable<Capacity['broken']>): string {
  const why = objective === null || reason.includes(objective) ? reason : `${objective}: ${reason}`;
  return `${why.replace(/\.$/, '')}${isSaturated ? ', saturated: more came than was served' : ''}`;
}

/** `shown twice (steps 9 and 12)`. */
function shownText(steps: readonly number[]): string {
  return `shown ${timesText(steps.length)} (${steps.length === 1 ? 'step' : 'steps'} ${steps.join(', ')})`;
}

function kneeText({ knee, by }: Capacity): string | null {
  if (knee === null) return null;
  const { load, turnsPerSecond, turnMeanMs, latency } = knee;
  const of = latency === undefined ? `a mean of ${formatMs(turnMeanMs)}` : `${latency.metric} ${formatMs(latency.ms)}`;
  return `at ${loadText(load, by)}: ${formatRate(turnsPerSecond, 'turn')} at ${of}, the most throughput for its latency; beyond it waiting grows faster than throughput`;
}

/** What failed at the ends, by class: retries hide it from turns. */
function failureText({ steps, holds, broken }: Capacity): string | null {
  const texts = [holds, broken].flatMap((end) => {
    const last = steps.findLast(({ number }) => end?.steps.includes(number) === true);
    if (last === undefined) return [];
    const { failedAttempts, failedCreations } = last.figures;
    const parts = [
      classesText(failedAttempts),
      ...(isNone(failedCreations) ? [] : [`creations: ${classesText(failedCreations)}`]),
    ];
    return [`at ${formatNumber(last.load)} ${parts.join('; ')}`];
  });
  const isAny = steps.some(({ figures }) => !isNone(figures.failedAttempts) || !isNone(figures.failedCreations));
  return isAny && texts.length > 0 ? `attempts that failed, ${texts.join('; ')}` : null;
}

const isNone = (counts: Readonly<Record<string, number>>): boolean => Object.keys(counts).length === 0;

const classesText = (counts: Readonly<Record<string, number>>): string =>
  isNone(counts)
    ? 'none'
    : Object.entries(counts)
        .toSorted(([, a], [, b]) => b - a)
        .map(([name, count]) => `${name} ${formatCount(count)}`)
        .join(', ');

function queueText({ littlesLaw }: Capacity): string | null {
  if (littlesLaw === null) return null;
  const { sessionsLive, product, agrees } = littlesLaw;
  const counted = `${formatNumber(sessionsLive)} sessions live as counted, ${formatNumber(product)} by Little’s law (sessions a second times their length)`;
  const agreement = agrees
    ? 'they agree within 10 %, so the step was steady'
    : 'they differ by more than 10 %: the step was not steady, and its figures are those of a change';
  return `${counted}: ${agreement}`;
}

function dayText({ daily }: Capacity): string | null {
  if (daily === null) return null;
  const { sessions, turns, rule } = daily;
  return `up to about ${roundly(sessions)} sessions, ${roundly(turns)} turns a day: ${rule}`;
}

/** It is a rule of thumb: more digits would say more than is known. */
const roundly = (count: number): string => formatCount(Number(count.toPrecision(2)));

function recoveryText({ hysteresis, by }: Capacity): string | null {
  const { recoveries, brokeWhereItHeld } = hysteresis;
  if (recoveries.length === 0 && brokeWhereItHeld.length === 0) return null;
  const each = recoveries.map(({ afterStep, load, recoveredMs }) => {
    const at = `at ${loadText(load, by)} after step ${String(afterStep)}`;
    return recoveredMs === null ? `did not recover ${at}` : `recovered ${at} within ${formatMs(recoveredMs)}`;
  });
  const later =
    brokeWhereItHeld.length === 0
      ? 'no load that had held broke later'
      : `HYSTERESIS: ${brokeWhereItHeld.map((load) => loadText(load, by)).join(', ')} held before a broken step and not behind it`;
  return [...each, later].join('; ');
}

/** The latency that a search is shown by: that of its first objective on a latency, else turn.p95 without a limit. */
export interface ShownLatency {
  metric: string;
  limitMs: number | null;
  read: (step: Capacity['steps'][number]) => number | null;
}

export function shownLatency({ objectives }: Pick<Capacity, 'objectives'>): ShownLatency {
  const objective = objectives.find(({ unit, isGuard }) => unit === 'ms' && !isGuard);
  const metric = objective?.metric ?? 'turn.p95';
  return {
    metric,
    limitMs: objective?.limit ?? null,
    read: ({ objectives: seen, figures }) =>
      (metric === 'turn.p95' ? figures.turnP95Ms : null) ?? seen.find((each) => each.metric === metric)?.actual ?? null,
  };
}

/** The same in words. */
export function latencyLimitText(limitMs: number): string {
  return limitText(limitMs, 'ms');
}
