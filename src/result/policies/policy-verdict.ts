import { z } from 'zod';
import { maxPolicies } from '../../scenario/retry-options.ts';
import type { Plan } from '../../plan/plan.ts';
import { sumCounters } from '../../record/counters.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { count, listOf, text } from '../../base/field.ts';
import {
  comparedFigures,
  confidence,
  estimateRatios,
  intervalOf,
  type ComparedFigure,
  type Estimate,
  type Estimates,
  type PolicyInterval,
} from './policy-intervals.ts';
import { tQuantile } from '../../statistics/student-t.ts';

const noDifference = ['no_difference_shown', 'too_few_sessions'] as const;

const pairSchema = z.object({
  policy: text('The policy with the most goodput of all'),
  other: text('The policy it is compared with'),
  sessions: count('Sessions of both that the intervals are based on'),
  goodput: z
    .enum(['more', ...noDifference])
    .describe('Whether the policy gave more goodput: the interval of the difference is above 0'),
  cost: z
    .enum(['less', 'more', ...noDifference])
    .describe('What the policy cost the service: whether its amplification was less or more'),
  differences: z
    .object({
      goodputShare: intervalOf('Of goodput shares (share of 1)'),
      servedShare: intervalOf(
        'Of goodput shares, including the turns of sessions that could not be created (share of 1): this decides',
      ),
      amplification: intervalOf('Of attempts a turn (ratio)'),
      backoffActualPerTurnMs: intervalOf('Of time lost to backoff per turn (milliseconds)'),
    })
    .describe('The policy minus the other'),
});
export type PolicyPair = z.infer<typeof pairSchema>;

export const policyVerdictSchema = z.object({
  confidence: z.number().describe('Of all intervals of one figure together (share of 1)'),
  comparisons: count('Pairs among the policies: the best is known only afterwards, so the intervals allow for all'),
  pairs: listOf(pairSchema, maxPolicies).describe('The best policy against each other one, in the order of the plan'),
});
export type PolicyVerdict = z.infer<typeof policyVerdictSchema>;

/** Which policy gave more goodput, and at what cost; `null` for a single policy. */
export function judgePolicies({ retry }: Pick<Plan, 'retry'>, { totals }: Snapshot): PolicyVerdict | null {
  if (retry.length < 2) return null;
  const policies = retry.map(({ name }, policy): Contender => {
    const parts = totals.filter((tally) => !tally.warmUp && tally.policy === policy);
    return { name, ...estimateRatios(sumCounters(parts.map(({ counters }) => counters)).sessionSums) };
  });
  const comparisons = (retry.length * (retry.length - 1)) / 2;
  const best = policies.reduce((so, each) => (goodputOf(each) > goodputOf(so) ? each : so));
  const pairs = policies.filter((each) => each !== best).map((other) => comparePolicies(best, other, comparisons));
  return { confidence, comparisons, pairs };
}

type Contender = { name: string } & Estimates;

const goodputOf = ({ servedShare }: Contender): number => servedShare?.value ?? -1;

function comparePolicies(policy: Contender, other: Contender, comparisons: number): PolicyPair {
  const differences = Object.fromEntries(
    comparedFigures.map((figure) => [figure, subtract(policy[figure], other[figure], comparisons)]),
  ) as Record<ComparedFigure, PolicyInterval | null>;
  const goodput = signOf(differences.servedShare);
  return {
    policy: policy.name,
    other: other.name,
    sessions: policy.sessions + policy.refused + other.sessions + other.refused,
    goodput: goodput === 'less' ? 'no_difference_shown' : goodput,
    cost: signOf(differences.amplification),
    differences,
  };
}

/** The difference of two ratios of different sessions: Welch's interval, its level shared out among the comparisons. */
function subtract(a: Estimate | null, b: Estimate | null, comparisons: number): PolicyInterval | null {
  if (a === null || b === null) return null;
  const [varianceA, varianceB] = [a.standardError ** 2, b.standardError ** 2];
  const variance = varianceA + varianceB;
  const value = a.value - b.value;
  if (variance === 0) return { value, low: value, high: value };
  const degrees = variance ** 2 / (varianceA ** 2 / (a.sessions - 1) + varianceB ** 2 / (b.sessions - 1));
  const half = tQuantile(1 - (1 - confidence) / comparisons / 2, degrees) * Math.sqrt(variance);
  return { value, low: value - half, high: value + half };
}

function signOf(difference: PolicyInterval | null): PolicyPair['cost'] {
  if (difference === null) return 'too_few_sessions';
  if (difference.low > 0) return 'more';
  return difference.high < 0 ? 'less' : 'no_difference_shown';
}
