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
export function judgeChange(asked: ChangeToJudge): ChangeVerdict {
  const { rule, estimate, pAdjusted } = asked;
  const { noise, base, shift } = estimate;
  const change = scaleOf(rule).changeOf(base, shift);
  if ('unknown' in noise) return { ...withoutNoise, change, verdict: 'inconclusive', reason: noise.unknown };
  const { verdict, reason } = verdictAndReason({ ...asked, noise });
  return {
    verdict,
    reason: reasonsOf(reason, noise),
    change,
    ci95: intervalOf(0.95, { ...asked, noise }),
    ci90: intervalOf(0.9, { ...asked, noise }),
    p: noise.p,
    pAdjusted,
    pBeyondMargin: pBeyondMargin({ ...asked, noise }),
    smallestDetectable: smallestDetectable({ ...asked, noise }),
    runsNeeded: verdict === 'inconclusive' ? runsNeeded({ ...asked, noise }) : null,
    noise: rulingNoise(noise),
    degreesOfFreedom: noise.degrees,
    priorDegreesOfFreedom: noise.priorDegreesOfFreedom,
    isNoiseAssumed: noise.isAssumed,
  };
}

/** Returns the detectable change for the worse, since a share near 1 cannot improve much; relative changes are reported as increases. */
function smallestDetectable({ rule, estimate, noise }: Weighed): number {
  const { changeOf } = scaleOf(rule);
  const reach = reachOf(noise.degrees) * noise.standardError;
  return rule.unit === 'share' && rule.worse === 'lower'
    ? -changeOf(estimate.base, -reach)
    : changeOf(estimate.base, reach);
}

type Weighed = ChangeToJudge & { noise: Noise };

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

function verdictAndReason(asked: Weighed): Pick<ChangeVerdict, 'verdict' | 'reason'> {
  const { rule, estimate, pAdjusted, q, noise } = asked;
  const { base, shift } = estimate;
  const limits = marginLimits(rule, base);
  const isBeyondNoise = pAdjusted !== null && pAdjusted <= q;
  const isBeyondMargin = shift >= limits.high || shift <= limits.low;
  const silent = noise.variance === 0 && shift !== 0 ? 'these runs show no noise: p is computed by permutation' : null;
  if (isBeyondNoise && isBeyondMargin)
    return { verdict: shift > 0 === (rule.worse === 'higher') ? 'regressed' : 'improved', reason: silent };
  if (silent !== null) return { verdict: 'inconclusive', reason: silent };
  const [low, high] = shiftsWithin(0.9, asked);
  if (low > limits.low && high < limits.high)
    return { verdict: 'unchanged', reason: isBeyondNoise ? 'changed, but within the margin' : null };
  return { verdict: 'inconclusive', reason: doubt(isBeyondNoise, isBeyondMargin) };
}

function doubt(isBeyondNoise: boolean, isBeyondMargin: boolean): string {
  if (isBeyondMargin) return 'beyond the margin, but possibly noise';
  if (isBeyondNoise) return 'changed, but possibly within the margin';
  return 'too noisy to show whether there is a change beyond the margin';
}

const leftOut = { history: 'noisier than the history, which was not used', assumed: 'noisier than assumed' } as const;

function reasonsOf(reason: string | null, { noisierThan }: Noise): string | null {
  const reasons = [reason, noisierThan === null ? null : leftOut[noisierThan]];
  const given = reasons.filter((each) => each !== null);
  return given.length === 0 ? null : given.join('; ');
}

function shiftsWithin(confidence: number, { estimate, noise }: Weighed): [low: number, high: number] {
  const half = tQuantile((1 + confidence) / 2, noise.degrees) * noise.standardError;
  return [estimate.shift - half, estimate.shift + half];
}

/** Returns the confidence interval of the change. A change without observed noise has none: its width would be zero. */
function intervalOf(confidence: number, asked: Weighed): { low: number; high: number } | null {
  const { rule, estimate, noise } = asked;
  if (noise.variance === 0 && estimate.shift !== 0) return null;
  const [low, high] = shiftsWithin(confidence, asked);
  const { changeOf } = scaleOf(rule);
  return { low: changeOf(estimate.base, low), high: changeOf(estimate.base, high) };
}

/** Returns the probability, without prior knowledge, that the change exceeds the margin. */
function pBeyondMargin({ rule, estimate, noise }: Weighed): number | null {
  const { low, high } = marginLimits(rule, estimate.base);
  const missing = rule.worse === 'higher' ? high - estimate.shift : estimate.shift - low;
  if (noise.standardError > 0) return tTail(missing / noise.standardError, noise.degrees);
  return estimate.shift === 0 ? 0 : null;
}

/** Returns `null` if more runs may not help: there are enough for the margin, but the change is close to it. */
function runsNeeded({ rule, estimate, noise }: Weighed): number | null {
  const { low, high } = marginLimits(rule, estimate.base);
  const needed = observationsNeeded(noise, rule.worse === 'higher' || low === -Infinity ? high : -low);
  return needed > estimate.observations ? needed : null;
}

function rulingNoise({ variance, withinRuns }: Noise): MetricComparison['noise'] {
  if (withinRuns === null || variance === 0) return null;
  return withinRuns >= variance / 2 ? 'within_runs' : 'between_runs';
}
