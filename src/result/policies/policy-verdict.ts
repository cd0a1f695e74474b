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
  policy: text('Policy with the highest goodput'),
  other: text('Policy that it is compared with'),
  sessions: count('Number of sessions of both policies that the intervals use'),
  goodput: z
    .enum(['more', ...noDifference])
    .describe('more: the policy achieved more goodput, because the interval of the difference is above 0'),
  cost: z
    .enum(['less', 'more', ...noDifference])
    .describe('Cost of the policy for the service: less or more amplification'),
  differences: z
    .object({
      goodputShare: intervalOf('Difference of goodput shares (share of 1)'),
      servedShare: intervalOf(
        'Difference of goodput shares, including the turns of sessions that could not be created (share of 1): this decides',
      ),
      amplification: intervalOf('Difference of attempts per turn (ratio)'),
      backoffActualPerTurnMs: intervalOf('Difference of the time lost to backoff per turn (milliseconds)'),
    })
    .describe('Differences: policy minus other'),
});
export type PolicyPair = z.infer<typeof pairSchema>;

export const policyVerdictSchema = z.object({
  confidence: z.number().describe('Joint confidence of all intervals of one figure (share of 1)'),
  comparisons: count(
    'Number of pairs of policies: the best is only known afterwards, so the intervals account for all pairs',
  ),
  pairs: listOf(pairSchema, maxPolicies).describe(
    'The best policy compared with each other policy, in the order of the plan',
  ),
});
export type PolicyVerdict = z.infer<typeof policyVerdictSchema>;

/** Compares the policies by goodput and cost; `null` for a single policy. */
export function judgePolicies({ retry }: Pick<Plan, 'retry'>, { totals }: Snapshot): PolicyVerdict | null {
  if (retry.length < 2) return null;
  const policies = retry.map(({ name }, policy): Contender => {
    const parts = totals.filter((tally) => !tally.warmUp && tally.policy === policy);
    return { name, ...estimateRatios(sumCounters(parts.map(({ counters }) => counters)).sessionSums) };
  });
  const comparisons = (retry.length * (retry.length - 1)) / 2;
  const best = policies.reduce((top, each) => (goodputOf(each) > goodputOf(top) ? each : top));
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

/** Returns the difference of two ratios of different sessions: Welch's interval, with its level divided among the comparisons. */
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
