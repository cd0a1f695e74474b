import { tQuantile, tTail } from '../../statistics/student-t.ts';
import type { MetricComparison } from '../document/comparison.ts';
import type { ChangeEstimate, Noise } from './estimate-change.ts';
import { type MetricRule, marginLimits, scaleOf } from '../metrics/metric-rules.ts';
import { observationsNeeded, reachOf } from '../../statistics/differences.ts';

interface ChangeToJudge {
  rule: MetricRule;
  estimate: ChangeEstimate;
  /** p adjusted by Benjamini-Hochberg; `null` if the estimate has no p. */
  pAdjusted: number | null;
  q: number;
}

type ChangeVerdict = Pick<MetricComparison, 'verdict' | 'reason' | 'change' | keyof typeof withoutNoise>;

/**
 * Judges a change: worse or better if it is beyond noise and margin, unchanged if its 90 % interval is within the margin
 * (two one-sided tests at 5 %), otherwise inconclusive.
 */
export function judgeChange(judged: ChangeToJudge): ChangeVerdict {
  const { rule, estimate, pAdjusted } = judged;
  const { noise, base, shift } = estimate;
  const change = scaleOf(rule).changeOf(base, shift);
  if ('unknown' in noise) return { ...withoutNoise, change, verdict: 'inconclusive', reason: noise.unknown };
  const { verdict, reason } = verdictAndReason({ ...judged, noise });
  return {
    verdict,
    reason: reasonsOf(reason, noise),
    change,
    ci95: intervalOf(0.95, { ...judged, noise }),
    ci90: intervalOf(0.9, { ...judged, noise }),
    p: noise.p,
    pAdjusted,
    pBeyondMargin: pBeyondMargin({ ...judged, noise }),
    smallestDetectable: smallestDetectable({ ...judged, noise }),
    runsNeeded: verdict === 'inconclusive' ? runsNeeded({ ...judged, noise }) : null,
    noise: dominantNoise(noise),
    degreesOfFreedom: noise.degrees,
    priorDegreesOfFreedom: noise.priorDegreesOfFreedom,
    isNoiseAssumed: noise.isAssumed,
  };
}

/** Returns the smallest detectable change: a decrease for shares of which less is worse, because they hardly rise near 1; otherwise an increase. */
function smallestDetectable({ rule, estimate, noise }: ChangeWithNoise): number {
  const { changeOf } = scaleOf(rule);
  const reach = reachOf(noise.degrees) * noise.standardError;
  return rule.unit === 'share' && rule.worse === 'lower'
    ? -changeOf(estimate.base, -reach)
    : changeOf(estimate.base, reach);
}

type ChangeWithNoise = ChangeToJudge & { noise: Noise };

export const withoutNoise = {
  ci95: null,
  ci90: null,
  p: null,
  pAdjusted: null,
  pBeyondMargin: null,
  smallestDetectable: null,
  runsNeeded: null,
  noise: null,
  degreesOfFreedom: null,
  priorDegreesOfFreedom: null,
  isNoiseAssumed: false,
};

function verdictAndReason(judged: ChangeWithNoise): Pick<ChangeVerdict, 'verdict' | 'reason'> {
  const { rule, estimate, pAdjusted, q, noise } = judged;
  const { base, shift } = estimate;
  const limits = marginLimits(rule, base);
  const isBeyondNoise = pAdjusted !== null && pAdjusted <= q;
  const isBeyondMargin = shift >= limits.high || shift <= limits.low;
  const noNoise = noise.variance === 0 && shift !== 0 ? 'these runs show no noise: p is computed by permutation' : null;
  if (isBeyondNoise && isBeyondMargin)
    return { verdict: shift > 0 === (rule.worse === 'higher') ? 'regressed' : 'improved', reason: noNoise };
  if (noNoise !== null) return { verdict: 'inconclusive', reason: noNoise };
  const [low, high] = shiftsWithin(0.9, judged);
  if (low > limits.low && high < limits.high)
    return { verdict: 'unchanged', reason: isBeyondNoise ? 'changed, but within the margin' : null };
  return { verdict: 'inconclusive', reason: inconclusiveReason(isBeyondNoise, isBeyondMargin) };
}

function inconclusiveReason(isBeyondNoise: boolean, isBeyondMargin: boolean): string {
  if (isBeyondMargin) return 'beyond the margin, but possibly noise';
  if (isBeyondNoise) return 'changed, but possibly within the margin';
  return 'too noisy to show whether there is a change beyond the margin';
}

const unusedPrior = {
  history: 'noisier than the history, which was not used',
  assumed: 'noisier than assumed',
} as const;

function reasonsOf(reason: string | null, { noisierThan }: Noise): string | null {
  const reasons = [reason, noisierThan === null ? null : unusedPrior[noisierThan]];
  const given = reasons.filter((each) => each !== null);
  return given.length === 0 ? null : given.join('; ');
}

function shiftsWithin(confidence: number, { estimate, noise }: ChangeWithNoise): [low: number, high: number] {
  const half = tQuantile((1 + confidence) / 2, noise.degrees) * noise.standardError;
  return [estimate.shift - half, estimate.shift + half];
}

/** Returns the confidence interval of the change. A change without observed noise has none: its width would be zero. */
function intervalOf(confidence: number, judged: ChangeWithNoise): { low: number; high: number } | null {
  const { rule, estimate, noise } = judged;
  if (noise.variance === 0 && estimate.shift !== 0) return null;
  const [low, high] = shiftsWithin(confidence, judged);
  const { changeOf } = scaleOf(rule);
  return { low: changeOf(estimate.base, low), high: changeOf(estimate.base, high) };
}

/** Returns the probability, without prior knowledge, that the change exceeds the margin. */
function pBeyondMargin({ rule, estimate, noise }: ChangeWithNoise): number | null {
  const { low, high } = marginLimits(rule, estimate.base);
  const missing = rule.worse === 'higher' ? high - estimate.shift : estimate.shift - low;
  if (noise.standardError > 0) return tTail(missing / noise.standardError, noise.degrees);
  return estimate.shift === 0 ? 0 : null;
}

/** Returns the number of runs that would decide; `null` if there are enough for the margin, but the change is close to it. */
function runsNeeded({ rule, estimate, noise }: ChangeWithNoise): number | null {
  const { low, high } = marginLimits(rule, estimate.base);
  const needed = observationsNeeded(noise, rule.worse === 'higher' || low === -Infinity ? high : -low);
  return needed > estimate.observations ? needed : null;
}

function dominantNoise({ variance, withinRuns }: Noise): MetricComparison['noise'] {
  if (withinRuns === null || variance === 0) return null;
  return withinRuns >= variance / 2 ? 'within_runs' : 'between_runs';
}
