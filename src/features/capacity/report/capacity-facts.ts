import type { Capacity } from '../document/capacity.ts';
import { loadUnitTexts, shownText, loadText } from '../words/summarize.ts';
import { factsOf } from '../../../report/outline/outline.ts';
import type { Fact } from '../../../report/page/page.ts';
import { countOf, formatCount, formatMs, formatNumber, formatRate, formatShare } from '../../../base/format.ts';
import { boundsText } from './outcome-text.ts';

/** Returns target, objectives, range and cost of a search. */
export function requestFacts(capacity: Capacity): Fact[] {
  const { scenario, objectives, by, bounds, spent, elapsedMs, steps } = capacity;
  const requested = objectives
    .filter(({ isGuard }) => !isGuard)
    .map(({ metric, condition }) => `${metric} ${condition}`)
    .join('; ');
  const range = `${formatNumber(bounds.min)} to ${formatNumber(bounds.max)} ${loadUnitTexts[by]}`;
  const costs = spent.cost === 0 ? [] : [`a cost of ${formatNumber(spent.cost)}`];
  const messages = `${countOf(steps.length, 'step')} in ${formatMs(elapsedMs)}, ${countOf(spent.turns, 'message')} in ${countOf(spent.sessions, 'session')}`;
  return factsOf({
    target: `${scenario.target ?? 'embedded reference service'}, ${scenario.protocol}`,
    searched: `${requested}; ${range}, to within ${formatShare(bounds.tolerance)}`,
    spent: [messages, ...costs, boundsText(bounds)].join('; '),
  });
}

/** Returns the findings: both ends, the reason of the break, the knee, Little's law, daily traffic and recovery. */
export function foundFacts(capacity: Capacity): Fact[] {
  const { holds, broken, by } = capacity;
  const apart =
    holds === null || broken === null || holds.load === 0
      ? ''
      : `; the ends are ${formatShare(broken.load / holds.load - 1)} apart`;
  return factsOf({
    passes: holds && `at ${loadText(holds.load, by)}, ${stepsText(holds.steps)}`,
    fails: broken && `at ${loadText(broken.load, by)}, ${stepsText(broken.steps)}${apart}`,
    why: broken && whyText(broken),
    failures: failureText(capacity),
    knee: kneeText(capacity),
    steady: steadyText(capacity),
    day: dayText(capacity),
    recovery: recoveryText(capacity),
  }).map(({ name, text }) => ({ name, text: text.replace(/\.$/, '') }));
}

function whyText({ objective, reason, isSaturated }: NonNullable<Capacity['broken']>): string {
  const why = objective === null || reason.includes(objective) ? reason : `${objective}: ${reason}`;
  return `${why.replace(/\.$/, '')}${isSaturated ? ', saturated: arrivals exceeded throughput' : ''}`;
}

/** Lists the steps that show an end: `confirmed by 2 steps (9, 12)`. */
function stepsText(steps: readonly number[]): string {
  return `${shownText(steps.length)} (${steps.join(', ')})`;
}

function kneeText({ knee, by }: Capacity): string | null {
  if (knee === null) return null;
  const { load, turnsPerSecond, turnMeanMs, latency } = knee;
  const of = latency === undefined ? `a mean of ${formatMs(turnMeanMs)}` : `${latency.metric} ${formatMs(latency.ms)}`;
  return `at ${loadText(load, by)}: ${formatRate(turnsPerSecond, 'turn')} at ${of}, the best ratio of throughput to latency; at higher load waiting grows faster than throughput`;
}

/** Lists failed attempts at the ends by class, because retries hide them from turns. */
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
  return isAny && texts.length > 0 ? `failed attempts: ${texts.join('; ')}` : null;
}

const isNone = (counts: Readonly<Record<string, number>>): boolean => Object.keys(counts).length === 0;

const classesText = (counts: Readonly<Record<string, number>>): string =>
  isNone(counts)
    ? 'none'
    : Object.entries(counts)
        .toSorted(([, a], [, b]) => b - a)
        .map(([name, count]) => `${name} ${formatCount(count)}`)
        .join(', ');

function steadyText({ littlesLaw }: Capacity): string | null {
  if (littlesLaw === null) return null;
  const { sessionsLive, product, agrees } = littlesLaw;
  const counted = `${formatNumber(sessionsLive)} live sessions counted, ${formatNumber(product)} by Little’s law (sessions per second times their length)`;
  const agreement = agrees
    ? 'they agree within 10 %, so the step was steady'
    : 'they differ by more than 10 %, so the step was not steady and its figures are unreliable';
  return `${counted}: ${agreement}`;
}

function dayText({ daily }: Capacity): string | null {
  if (daily === null) return null;
  const { sessions, turns, rule } = daily;
  return `up to about ${roundly(sessions)} sessions, ${roundly(turns)} turns per day: ${rule}`;
}

/** Rounds to two digits, because a rule of thumb is not more precise. */
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
      ? 'no previously passing load failed later'
      : `HYSTERESIS: ${brokeWhereItHeld.map((load) => loadText(load, by)).join(', ')} passed before a failed step but not after it`;
  return [...each, later].join('; ');
}

/** Latency shown for a search: the metric of its first latency objective, or turn.p95 without a limit. */
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
    read: ({ objectives: judged, figures }) =>
      (metric === 'turn.p95' ? figures.turnP95Ms : null) ??
      judged.find((each) => each.metric === metric)?.actual ??
      null,
  };
}
