import { z } from 'zod';
import { maxPolicies } from '../../scenario/retry-options.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { count, listOf, text, numberOrNull } from '../../base/field.ts';
import { addTallies, measuredMs, measuredParts } from '../sections/figures.ts';
import { buildCost, costSchema } from '../sections/cost.ts';
import type { FigureErrors } from '../sections/figure-error.ts';
import { buildIntegrityFigures, integrityFiguresSchema } from '../sections/integrity.ts';
import { buildLatency, latencySchema, type Latency } from '../sections/latency.ts';
import { buildOutcomes, outcomesSchema } from '../sections/outcomes.ts';
import { buildPolicyIntervals, policyIntervalsSchema } from './policy-intervals.ts';
import { policyVerdictSchema } from './policy-verdict.ts';
import { buildRates, rateFiguresSchema } from '../sections/rates.ts';
import { buildRetryFigures, retryFiguresSchema } from '../sections/retries.ts';

const policySchema = z.object({
  name: text('Name of the retry policy in the scenario'),
  sessionsStarted: count('Started sessions with this policy'),
  ...retryFiguresSchema.shape,
  intervals: policyIntervalsSchema.describe(
    '95 % confidence intervals over its sessions, for such sessions against this service',
  ),
  outcomes: outcomesSchema.describe('Outcomes of its sessions'),
  latency: latencySchema.describe('Latency of its sessions'),
  rates: rateFiguresSchema.describe('Rates of its sessions'),
  integrity: integrityFiguresSchema.describe('Integrity of its sessions'),
  cost: costSchema.nullable().describe('Cost of its attempts; null without cost or prices'),
});
export type PolicyFigures = z.infer<typeof policySchema>;

export const retriesSchema = retryFiguresSchema.extend({
  objectiveMs: numberOrNull('Maximum latency of a good turn (milliseconds; null: no limit)'),
  objectiveFirstTokenMs: numberOrNull(
    'Maximum time from the first send to the first content of a good turn (milliseconds; null: no limit)',
  ),
  objectiveGapMs: numberOrNull('Maximum gap between content events of a good turn (milliseconds; null: no limit)'),
  policies: listOf(policySchema, maxPolicies).describe('Figures of each retry policy, in the order of the plan'),
  verdict: policyVerdictSchema
    .nullable()
    .describe('Comparison of the policies by goodput and cost; null for a single policy'),
});

export function buildPolicies(
  plan: Plan,
  snapshot: Snapshot,
  { latency, errors }: { latency: Latency; errors: FigureErrors },
): PolicyFigures[] {
  return plan.retry.map(({ name }, policy) => {
    const figures = addTallies(snapshot.totals.filter((tally) => !tally.warmUp && tally.policy === policy));
    const timeMs = measuredMs(snapshot);
    return {
      name,
      sessionsStarted: figures.counters.sessions.started,
      ...buildRetryFigures(figures, timeMs),
      intervals: buildPolicyIntervals(figures.counters.sessionSums),
      outcomes: buildOutcomes(figures),
      latency:
        plan.retry.length === 1
          ? latency
          : buildLatency(
              figures.tally,
              measuredParts(snapshot, (tally) => tally.policy === policy),
              errors,
              latency.resolutionMs,
            ),
      rates: buildRates(figures.counters, timeMs),
      integrity: buildIntegrityFigures(figures.counters),
      cost: buildCost(figures.counters, plan),
    };
  });
}
