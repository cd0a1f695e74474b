import { z } from 'zod';
import { text, numberOrNull, flag } from '../base/field.ts';
import type { Forecast } from '../plan/forecast.ts';
import type { Plan } from '../plan/plan.ts';
import { shortestIntervalMs } from '../record/interval-width.ts';
import { minIntervals } from '../statistics/batch-error.ts';
import { windowEnd } from './figures/open-run.ts';
import { valuesNeeded } from './figures/read-figure.ts';
import { isOfCreations, type MetricRule, metricRules, scaleOf } from './metrics/metric-rules.ts';
import { reachOf } from '../statistics/differences.ts';

const beyondReachSchema = z.object({
  metric: z.string(),
  reason: text('Reason why a comparison cannot decide it'),
  subject: z.enum(['turns', 'sessions']).nullable().describe('Insufficient quantity; null if more would not help'),
  needs: numberOrNull('Required number per run'),
  gives: numberOrNull('Expected number per run, approximately; null if the service alone sets the pace'),
});
export type BeyondReach = z.infer<typeof beyondReachSchema>;

export const outlookSchema = z.object({
  measuredMs: numberOrNull(
    'Compared window of a run, without warm-up and drain; null, like turnsPerRun and sessionsPerRun, if the service alone sets the pace',
  ),
  isWhole: flag('True if the window is the whole run'),
  turnsPerRun: numberOrNull('Approximate number of turns that end in the window'),
  sessionsPerRun: numberOrNull('Approximate number of sessions created in the window'),
  decides: z.array(z.string()).describe('Metrics of the gate family that a comparison can decide'),
  cannotDecide: z.array(beyondReachSchema),
  failedShareFrom: numberOrNull(
    'Minimum share of failed turns that five runs per side distinguish from none in four of five cases; null without turns, or if their number is unknown',
  ),
  createFailedShareFrom: numberOrNull('Minimum detectable share of sessions that were not created, likewise'),
  knowsNoiseWithin: z
    .boolean()
    .nullable()
    .describe(
      'True if a run has enough intervals to estimate its own noise; otherwise three runs per side are needed; null if unknown',
    ),
});
export type Outlook = z.infer<typeof outlookSchema>;

/** Predicts which metrics runs can decide when they are compared, by their forecast counts, assuming no failures. */
export function foreseeComparison(plan: Plan, forecast: Forecast): Outlook {
  const end = Math.min(windowEnd(plan), forecast.durationMs ?? Infinity);
  const measuredMs = end === Infinity ? null : Math.max(0, end - plan.warmUpMs);
  const gives = countsIn(plan, forecast);
  const family = metricRules.filter(
    (rule) =>
      rule.isGated &&
      (rule.isOfStreams !== true || plan.target.stream) &&
      (!isOfCreations(rule) || plan.target.createsSessions),
  );
  const cannotDecide = family.flatMap((rule) => obstacleOf(rule, plan, gives));
  return {
    measuredMs,
    isWhole: measuredMs === null || measuredMs >= (forecast.durationMs ?? Infinity),
    turnsPerRun: gives.turns,
    sessionsPerRun: gives.sessions,
    decides: family.map(({ name }) => name).filter((name) => !cannotDecide.some(({ metric }) => metric === name)),
    cannotDecide,
    failedShareFrom: minShare(gives.turns),
    createFailedShareFrom: plan.target.createsSessions ? minShare(gives.sessions) : null,
    knowsNoiseWithin: measuredMs === null ? null : measuredMs >= minIntervals * shortestIntervalMs,
  };
}

type ExpectedCounts = Record<'turns' | 'sessions', number | null>;

/** Under open load the turns of a session end, on average, half its duration after its start. */
function countsIn(plan: Plan, { sessions, turns, durationMs, sessionMs }: Forecast): ExpectedCounts {
  const { load, maxTurns, maxSessions } = plan;
  const overMs = plan.durationMs ?? durationMs ?? Infinity;
  const end = Math.min(windowEnd(plan), overMs);
  const partOf = (delayMs: number): number =>
    overMs === Infinity ? 1 : (Math.max(0, end - delayMs) - Math.max(0, plan.warmUpMs - delayMs)) / overMs;
  const delayMs = load.model === 'open' && plan.durationMs !== null ? sessionMs / 2 : 0;
  const about = (count: number | null, cap: number | null, part: number): number | null =>
    count === null ? null : Math.round(Math.min(count, cap ?? Infinity) * Math.max(0, part));
  return { turns: about(turns, maxTurns, partOf(delayMs)), sessions: about(sessions, maxSessions, partOf(0)) };
}

function obstacleOf(rule: MetricRule, { load }: Plan, gives: ExpectedCounts): BeyondReach[] {
  const { name, source } = rule;
  if (source.kind === 'rate' && load.model === 'open')
    return [{ metric: name, reason: 'under open load the rate is fixed', subject: null, needs: null, gives: null }];
  const of = isOfCreations(rule) ? 'sessions' : 'turns';
  // The service decides how many gaps a turn has.
  const isOfGaps = 'series' in source && source.series === 'gap.ok';
  if (isOfGaps)
    return [{ metric: name, reason: 'the service sets the number of gaps', subject: null, needs: null, gives: null }];
  const needs = source.kind === 'quantile' ? valuesNeeded(source.quantile) : 1;
  const given = gives[of];
  if (given === null && needs > 1)
    return [{ metric: name, reason: `the service sets the number of ${of}`, subject: of, needs, gives: null }];
  return given === null || given >= needs
    ? []
    : [{ metric: name, reason: `too few ${of}`, subject: of, needs, gives: given }];
}

const runsPerSide = 5;

function minShare(count: number | null): number | null {
  if (count === null || count === 0) return null;
  const { levelOf, changeOf } = scaleOf({ source: { kind: 'share', of: 'turns.failed', among: 'turns.finished' } });
  const error = Math.sqrt(2 / runsPerSide / count);
  return changeOf(levelOf(0, count), reachOf(2 * (runsPerSide - 1)) * error);
}
