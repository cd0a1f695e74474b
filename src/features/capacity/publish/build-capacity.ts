import { workloadHash } from '../../../plan/level-load.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Capacity } from '../document/capacity.ts';
import type { Search, SearchSettings } from '../search/search.ts';
import { summarizeCapacity } from '../words/summarize.ts';
import type { Step, StepFigures } from '../document/step.ts';

interface SearchContext extends Pick<Capacity, 'toolVersion' | 'label' | 'machine' | 'startedAt' | 'warnings'> {
  plan: Plan;
  settings: SearchSettings;
}

/** Builds the document of a search; pure and deterministic. Secrets are not redacted yet. */
export function buildCapacity(search: Search, around: SearchContext): Capacity {
  const { plan, settings, toolVersion, label, machine, startedAt, warnings } = around;
  const { by, objectives, min, max, maxDurationMs, maxTurns, maxSessions, maxCost, maxStepMs, tolerance } = settings;
  const { outcome, holds, broken, steps, recoveries, brokeWhereItHeld, spent, elapsedMs } = search;
  const published = objectives.map(({ metric, condition, unit, limit, isGuard }) => ({
    metric,
    condition,
    unit,
    limit,
    isGuard,
  }));
  const latencies = objectives.filter(({ unit, isGuard }) => unit === 'ms' && !isGuard).map(({ metric }) => metric);
  const searched = latencies.some((metric) => metric.startsWith('turn.')) ? undefined : latencies[0];
  const bounds = { min, max, maxDurationMs, maxTurns, maxSessions, maxCost, maxStepMs, tolerance };
  const edge = steps.findLast(({ number }) => holds?.steps.includes(number) === true);
  return {
    kind: 'chat-load/capacity',
    schemaVersion: 1,
    toolVersion,
    label,
    scenario: {
      name: plan.name,
      hash: workloadHash(plan),
      seed: plan.seed,
      target: plan.target.baseUrl,
      protocol: plan.target.protocol,
    },
    machine,
    startedAt,
    elapsedMs,
    by,
    objectives: published,
    bounds,
    outcome,
    summary: summarizeCapacity({ by, bounds, outcome, holds, broken, steps, objectives: published }),
    holds,
    broken,
    knee: findKnee(
      steps.filter((step) => step.by === undefined),
      searched,
    ),
    littlesLaw: edge === undefined ? null : checkLittlesLaw(edge.figures),
    daily: edge === undefined ? null : dailyLoad(edge.figures),
    hysteresis: { recoveries, brokeWhereItHeld },
    spent,
    steps,
    warnings: [...reasonOf(search), ...warnings],
  };
}

/** Returns the reason of an outcome that does not state it. */
export function reasonOf({ outcome, reason }: Pick<Search, 'outcome' | 'reason'>): string[] {
  return reason === '' || stated.has(outcome) ? [] : [reason];
}

const stated: ReadonlySet<Search['outcome']> = new Set(['found', 'holds_at_max', 'fails_at_min', 'interrupted']);

/** Maximum share of failed turns for a knee: above it, latency is the latency of fast failures. */
const maxFailed = 0.05;
/** Minimum number of loads for a knee between them. */
const minLoads = 3;

/**
 * Finds the step with the maximum power: ok turns per second divided by their mean latency, or by the latency `metric`.
 * Below this step, more load adds more throughput than latency; above it, less (Kleinrock, 1979). `null` if fewer than
 * three loads have figures, or if the maximum power is at the highest load: the knee, if any, is beyond it.
 */
export function findKnee(steps: readonly Step[], metric?: string): Capacity['knee'] {
  const seen = steps.flatMap(
    ({ verdict, purpose, load, objectives, figures: { turnsPerSecond, turnMeanMs, failedShare } }) =>
      verdict === 'no_evidence' ||
      purpose === 'recover' ||
      (failedShare ?? 1) > maxFailed ||
      !turnsPerSecond ||
      !turnMeanMs
        ? []
        : latencyOf(objectives, metric).map((latency) => ({ load, turnsPerSecond, turnMeanMs, ...latency })),
  );
  const [first, ...others] = seen;
  if (first === undefined || new Set(seen.map(({ load }) => load)).size < minLoads) return null;
  const best = others.reduce((best, each) => (powerOf(each) > powerOf(best) ? each : best), first);
  return seen.some(({ load }) => load > best.load) ? best : null;
}

/** Returns the latency of the objective as a list of fields: an empty object without a metric, an empty list without a value. */
function latencyOf(objectives: Step['objectives'], metric: string | undefined) {
  if (metric === undefined) return [{}];
  const ms = objectives.find((seen) => seen.metric === metric)?.actual;
  return ms === undefined || ms === null || ms <= 0 ? [] : [{ latency: { metric, ms } }];
}

const powerOf = ({ turnsPerSecond, turnMeanMs, latency }: NonNullable<Capacity['knee']>): number =>
  turnsPerSecond / (latency?.ms ?? turnMeanMs);

const agreement = 0.1;

/**
 * Checks Little's law, L = λ W, on sessions, whose duration includes think times: the number of live sessions is their rate
 * times their mean duration. If the two differ, the step was not steady or its counts are wrong. `null`: a figure is missing.
 */
export function checkLittlesLaw({
  sessionsLive,
  sessionsPerSecond,
  sessionMeanMs,
}: StepFigures): Capacity['littlesLaw'] {
  if (sessionsLive === null || sessionsPerSecond === null || sessionMeanMs === null || sessionsLive === 0) return null;
  const product = (sessionsPerSecond * sessionMeanMs) / 1000;
  return { sessionsLive, product, agrees: Math.abs(product - sessionsLive) <= agreement * sessionsLive };
}

/** Share of the daily traffic in the peak hour, and share of the capacity that this hour may use. */
const peakHourShare = 0.1;
const usableShare = 0.8;

const rule = `assuming ${String(peakHourShare * 100)} % of the day’s traffic in the peak hour, run at ${String(usableShare * 100)} % of capacity`;

/** Returns the daily load that leaves headroom in the peak hour, from the rates of a passing step; `null`: a rate is missing. */
export function dailyLoad({ sessionsPerSecond, turnsPerSecond }: StepFigures): Capacity['daily'] {
  if (sessionsPerSecond === null || turnsPerSecond === null || sessionsPerSecond === 0) return null;
  const perDay = (perSecond: number): number => Math.floor((perSecond * 3600 * usableShare) / peakHourShare);
  return { sessions: perDay(sessionsPerSecond), turns: perDay(turnsPerSecond), rule };
}
