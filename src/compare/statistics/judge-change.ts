import { tQuantile, tTail } from '../../statistics/student-t.ts';
import type { MetricComparison } from '../document/comparison.ts';
import type { ChangeEstimate, Noise } from './estimate-change.ts';
import { type MetricRule, marginLimits, possibleChanges, scaleOf } from '../metrics/metric-rules.ts';
import { observationsNeeded, reachOf } from '../../statistics/differences.ts';

interface ChangeToJudge {
  rule: MetricRule;
  estimate: ChangeEstimate;
  /** p adjusted by Benjamini-Hochberg; `null` if the estimate has no p. */
  pAdjusted: number | null;
  q: number;
  /** p up to which the change would be beyond noise, next to the other metrics of its family. */
  level: number;
  /** Number of metrics of its family with a p. */
  adjustedFor: number;
  /** Number of values that its runs were aligned to. */
  count: number;
}

type ChangeVerdict = Pick<MetricComparison, 'verdict' | 'reason' | 'change' | keyof typeof withoutNoise>;

/**
 * Judges a change: worse or better if it is beyond noise and margin, unchanged if its 90 % interval is within the margin
 * (two one-sided tests at 5 %), otherwise inconclusive.
 */
export function judgeChange(judged: ChangeToJudge): ChangeVerdict {
  const { rule, estimate, pAdjusted, adjustedFor } = judged;
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
    adjustedFor: pAdjusted === null ? null : adjustedFor,
    pBeyondMargin: pBeyondMargin({ ...judged, noise }),
    smallestDetectable: detectableChange({ ...judged, noise }),
    visibleFrom: visibleChange({ ...judged, noise }),
    runsNeeded: verdict === 'inconclusive' ? runsNeeded({ ...judged, noise }) : null,
    noise: dominantNoise(noise),
    degreesOfFreedom: finiteOr(noise.degrees),
    priorDegreesOfFreedom: finiteOr(noise.priorDegreesOfFreedom),
    isNoiseAssumed: noise.isAssumed,
  };
}

/** Degrees of freedom as published: an assumption that counts as known has none. */
const finiteOr = (degrees: number): number | null => (Number.isFinite(degrees) ? degrees : null);

/** Returns the smallest detectable change: a decrease for shares of which less is worse, because they hardly rise near 1; otherwise an increase. */
function detectableChange(judged: ChangeWithNoise): number | null {
  const { rule, noise } = judged;
  const isDecrease = rule.unit === 'share' && rule.worse === 'lower';
  return sizeOf(reachOf(noise.degrees) * noise.standardError + noise.bias, isDecrease, judged);
}

/** Returns the smallest change for the worse that is beyond noise and margin. */
function visibleChange(judged: ChangeWithNoise): number | null {
  const { rule, estimate, noise, q, level } = judged;
  const { low, high } = marginLimits(rule, estimate.base);
  // No change with a larger p can be seen; with a smaller one, the other metrics decide.
  const needed = noise.p > q ? q : level;
  const beyondNoise = tQuantile(1 - needed / 2, noise.degrees) * noise.standardError + noise.bias;
  const isDecrease = rule.worse === 'lower';
  return sizeOf(Math.max(beyondNoise, isDecrease ? -low : high), isDecrease, judged);
}

/** Returns the size of the change for a shift in one direction; `null` if the base permits no such change. */
function sizeOf(shift: number, isDecrease: boolean, { rule, estimate, count }: ChangeWithNoise): number | null {
  const change = scaleOf(rule).changeOf(estimate.base, isDecrease ? -shift : shift);
  const possible = possibleChanges(rule, valueOfBase(rule, estimate.base, count));
  if (!Number.isFinite(shift) || change < possible.low || change > possible.high) return null;
  return Math.abs(change);
}

const valueOfBase = (rule: MetricRule, level: number, count: number): number => scaleOf(rule).valueOf(level, count);

type ChangeWithNoise = ChangeToJudge & { noise: Noise };

export const withoutNoise = {
  ci95: null,
  ci90: null,
  p: null,
  pAdjusted: null,
  adjustedFor: null,
  pBeyondMargin: null,
  smallestDetectable: null,
  visibleFrom: null,
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
  const half = tQuantile((1 + confidence) / 2, noise.degrees) * noise.standardError + noise.bias;
  return [estimate.shift - half, estimate.shift + half];
}

/**
 * Returns the confidence interval of the change, within the changes that the base permits. A change without observed noise
 * has none: its width would be zero.
 */
function intervalOf(confidence: number, judged: ChangeWithNoise): { low: number; high: number } | null {
  const { rule, estimate, noise, count } = judged;
  if (noise.variance === 0 && estimate.shift !== 0) return null;
  const [low, high] = shiftsWithin(confidence, judged);
  const { changeOf } = scaleOf(rule);
  const possible = possibleChanges(rule, valueOfBase(rule, estimate.base, count));
  return {
    low: Math.max(possible.low, changeOf(estimate.base, low)),
    high: Math.min(possible.high, changeOf(estimate.base, high)),
  };
}

/** Returns the probability, without prior knowledge, that the change exceeds the margin. */
function pBeyondMargin({ rule, estimate, noise }: ChangeWithNoise): number | null {
  const { low, high } = marginLimits(rule, estimate.base);
  const missing = rule.worse === 'higher' ? high - estimate.shift : estimate.shift - low;
  if (noise.standardError > 0) return tTail(missing / noise.standardError, noise.degrees);
  return estimate.shift === 0 ? 0 : null;
}

/**
 * Returns the number of runs that would show a change of the margin in four of five cases; `null` if there are enough, but
 * the change is close to the margin, and if the noise is assumed, which more runs do not reduce.
 */
function runsNeeded({ rule, estimate, noise }: ChangeWithNoise): number | null {
  if (noise.isAssumed) return null;
  const { low, high } = marginLimits(rule, estimate.base);
  const needed = observationsNeeded(noise, rule.worse === 'higher' || low === -Infinity ? high : -low);
  return needed > estimate.observations ? needed : null;
}

function dominantNoise({ variance, withinRuns, isAssumed }: Noise): MetricComparison['noise'] {
  if (withinRuns === null || variance === 0 || isAssumed) return null;
  return withinRuns >= variance / 2 ? 'within_runs' : 'between_runs';
}
