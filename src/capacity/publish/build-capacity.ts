import { workloadHash } from '../../plan/level-load.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Capacity } from '../document/capacity.ts';
import { checkLittlesLaw } from '../figures/littles-law.ts';
import { dailyLoad } from '../figures/daily-load.ts';
import { findKnee } from '../figures/find-knee.ts';
import type { Search, SearchSettings } from '../search/search.ts';
import { summarizeCapacity } from '../words/summarize.ts';

/** What is known of a search beside what it found. */
export interface AroundSearch {
  plan: Plan;
  settings: SearchSettings;
  toolVersion: string;
  label: string | null;
  /** The machine that sent the load, in words. */
  machine: string;
  /** ISO 8601. */
  startedAt: string;
  warnings: readonly string[];
}

/** Makes the document of a search: pure, and the same for the same parts. Secrets are still in it. */
export function buildCapacity(search: Search, around: AroundSearch): Capacity {
  const { plan, settings, toolVersion, label, machine, startedAt, warnings } = around;
  const { by, objectives, least, most, maxDurationMs, maxTurns, maxSessions, maxCost, maxStepMs, width } = settings;
  const { outcome, holds, broken, steps, recoveries, brokeWhereItHeld, spent, elapsedMs } = search;
  const asked = objectives.map(({ metric, condition, unit, limit, isGuard }) => ({
    metric,
    condition,
    unit,
    limit,
    isGuard,
  }));
  const latencies = objectives.filter(({ unit, isGuard }) => unit === 'ms' && !isGuard).map(({ metric }) => metric);
  const searched = latencies.some((metric) => metric.startsWith('turn.')) ? undefined : latencies[0];
  const bounds = { least, most, maxDurationMs, maxTurns, maxSessions, maxCost, maxStepMs, width };
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
    objectives: asked,
    bounds,
    outcome,
    summary: summarizeCapacity({ by, bounds, outcome, holds, broken, steps, objectives: asked }),
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

/** Why it ended without both ends, where the answer does not say so. */
const reasonOf = ({ outcome, reason }: Search): string[] =>
  reason === '' || outcome === 'found' || outcome === 'holds_at_most' || outcome === 'fails_at_least' ? [] : [reason];
