import { tTail } from '../../statistics/student-t.ts';
import { isContradicted, minVariance, moderate, type Variance } from '../../statistics/differences.ts';
import { matchRuns, type Design, sampleOf, type Sample } from './sample.ts';
import type { Observed } from '../document/side.ts';
import { mean } from '../../statistics/averages.ts';
import type { MetricHistory } from '../document/history.ts';
import type { Scale } from '../../statistics/scales.ts';

export interface Noise {
  /** Variance of one observation: a run, a pair's difference or the mean of a batch of runs. */
  variance: number;
  /** The part of the variance that longer runs would reduce; `null` if not every run shows it. */
  withinRuns: number | null;
  /** Number of observations in a difference: 1 if pairs are the observations, otherwise 2. */
  sides: 1 | 2;
  standardError: number;
  /** Degrees of freedom; infinite for the normal distribution. */
  degrees: number;
  /** Difference of the sides' measurement errors, by which intervals are widened. */
  bias: number;
  /** Part of the degrees of freedom from the history or the assumed noise; infinite if the latter counts as known. */
  priorDegreesOfFreedom: number;
  /** True if the prior is the assumed noise, because there is no history. */
  isAssumed: boolean;
  /** Prior that was not used because the runs are noisier. */
  noisierThan: 'history' | 'assumed' | null;
  p: number;
}

export interface ChangeEstimate {
  unit: Design<unknown>['unit'];
  base: number;
  head: number;
  /** head - base. */
  shift: number;
  observations: number;
  noise: Noise | { unknown: string };
}

/** Smaller shifts are rounding errors. */
const nothing = 1e-9;
const minRunsWithoutFloor = 3;

/**
 * Estimates the change from base to head by the moderated t of Smyth (2004): the variance between observations is shrunk
 * towards the history or, without one, towards the assumption, and never below the variance within runs. Each side
 * contains at least one run.
 */
export function estimateChange(
  base: readonly Observed[],
  head: readonly Observed[],
  known: KnownNoise = {},
): ChangeEstimate {
  const design = matchRuns(base, head);
  const sample = sampleOf(design);
  const { levels, observations } = sample;
  const shift = levels.head - levels.base;
  return {
    unit: design.unit,
    ...levels,
    shift: Math.abs(shift) < nothing ? 0 : shift,
    observations,
    noise: weigh(sample, priorOf(known, sample, design.unit), Math.abs(errorOf(head) - errorOf(base))),
  };
}

/** Returns the mean measurement error, on the logarithmic scale of latencies. */
const errorOf = (runs: readonly Observed[]): number => mean(runs.map(({ figure }) => figure.error ?? 0));

function weigh(sample: Sample, prior: Prior | null, bias: number): ChangeEstimate['noise'] {
  const believed = prior !== null && !isContradicted(prior, sample) ? prior : nobodyKnows;
  const pooled = moderate(sample, believed);
  const { degrees } = pooled;
  const problem = degrees === 0 ? tooFewToKnow(sample) : tooFewWithoutFloor(sample);
  if (problem !== null) return { unknown: problem };
  const variance = Math.max(pooled.variance, sample.withinRuns);
  const isSilent = variance < minVariance;
  const standardError = isSilent ? 0 : Math.sqrt(variance * sample.weight);
  const shift = Math.abs(sample.levels.head - sample.levels.base);
  return {
    variance: isSilent ? 0 : variance,
    withinRuns: sample.isFloorKnown ? sample.withinRuns : null,
    sides: sample.sides,
    standardError,
    degrees,
    bias,
    priorDegreesOfFreedom: believed.noisierThan === undefined ? believed.degrees : 0,
    isAssumed: believed.isAssumed,
    noisierThan:
      believed.noisierThan ?? (prior === null || believed === prior ? null : prior.isAssumed ? 'assumed' : 'history'),
    p: isSilent ? pWithoutNoise(sample, shift) : 2 * tTail(Math.max(0, shift - bias) / standardError, degrees),
  };
}

const nobodyKnows: Prior = { variance: 0, degrees: 0, isAssumed: false };

/** Without noise there is no t: a permutation test counts the assignments that separate equal runs as clearly. */
const pWithoutNoise = (sample: Sample, shift: number): number =>
  shift < nothing ? 1 : Math.min(1, sample.shareAsClear);

const tooFewToKnow = ({ runs }: Sample): string =>
  runs === 1 ? 'one run per side and no history' : 'one batch of runs per side and no history';

/** Returns the reason why runs that do not show their own noise are too few; `null` if they suffice. */
function tooFewWithoutFloor({ isFloorKnown, runs }: Sample): string | null {
  if (isFloorKnown || runs >= minRunsWithoutFloor) return null;
  return `too few intervals to estimate the noise within a run: ${String(minRunsWithoutFloor)} runs per side are needed`;
}

/** Prior variance of one observation, and its degrees of freedom. */
interface Prior extends Variance {
  /** True if it is the assumed noise. */
  isAssumed: boolean;
  /** Set if the runs within the batches are used, because they are noisier than assumed. */
  noisierThan?: 'assumed';
}

/** Assumed noise of batches of runs until there is a history. */
export interface Assumption {
  relative: number;
  scale: Scale;
  /** Degrees of freedom that it is worth; infinite if it counts as known. Default: infinite. */
  degrees?: number | undefined;
  /** True for figures that count events, whose own noise is known from their number and is added. Default: false. */
  isOfCounts?: boolean | undefined;
}

export interface KnownNoise {
  history?: MetricHistory | undefined;
  assumed?: Assumption | undefined;
}

const minDegrees = 5;
/** Limits the weight of the history, so that current runs count: a machine may have become noisier. */
const maxDegrees = { pair: 6, run: 6, sitting: 10 } as const;

/** Degrees of freedom of the assumption for batches of several days or machines, and next to several batches per side. */
export const assumedDegreesApart = 8;

function priorOf({ history, assumed }: KnownNoise, sample: Sample, unit: Design<unknown>['unit']): Prior | null {
  return (
    (history === undefined ? null : learntPrior(history, sample, unit)) ??
    (assumed === undefined ? null : assumedPrior(assumed, sample, unit))
  );
}

function learntPrior(history: MetricHistory, { perRun }: Sample, unit: Design<unknown>['unit']): Prior | null {
  const known = unit === 'sitting' ? sittingPrior(history, perRun) : runPrior(history);
  if (known === null || known.degrees < minDegrees) return null;
  const degrees = Math.min(known.degrees, maxDegrees[unit]);
  // The difference of a pair contains the noise of two runs.
  return { variance: known.variance * (unit === 'pair' ? 2 : 1), degrees, isAssumed: false };
}

/**
 * Returns the assumed prior if each side is one observation or has few batches. If the runs within the batches show more
 * noise than assumed, they are used instead, with their own degrees of freedom. Once batches have as many degrees of freedom
 * as a history needs, nothing is assumed. Runs of one batch differ by no more than batches do.
 */
function assumedPrior(assumption: Assumption, sample: Sample, unit: Design<unknown>['unit']): Prior | null {
  if (sample.degrees >= (unit === 'sitting' ? minDegrees : 1)) return null;
  const { relative, scale, degrees = Infinity, isOfCounts = false } = assumption;
  const { levels, withinRuns, betweenRuns, runDegrees } = sample;
  const drift = scale.deviationAt(mean([levels.base, levels.head]), relative) ** 2;
  const variance = drift * (unit === 'pair' ? 2 : 1) + (isOfCounts ? withinRuns : 0);
  const ofRuns = Math.max(withinRuns, betweenRuns);
  if (ofRuns > variance && runDegrees > 0)
    return { variance: ofRuns, degrees: runDegrees, isAssumed: false, noisierThan: 'assumed' };
  // Several batches per side show part of their noise, which a known assumption would ignore.
  const isKnown = degrees === Infinity && sample.degrees === 0 && ofRuns <= variance;
  return { variance: Math.max(variance, ofRuns), degrees: isKnown ? Infinity : assumedDegreesApart, isAssumed: true };
}

/** Returns the variance of a run within its batch. If the history contains only batches, their variance is the larger one. */
function runPrior(history: MetricHistory): Variance | null {
  const { runVariance, runDegrees, sittingVariance, sittingDegrees, runsPerSitting } = history;
  if (runVariance !== null && runDegrees >= minDegrees) return { variance: runVariance, degrees: runDegrees };
  if (sittingVariance === null) return null;
  return { variance: sittingVariance * Math.max(1, runsPerSitting), degrees: sittingDegrees };
}

/** Returns the variance of a batch's mean, which contains more noise of runs the fewer runs the batch has. */
function sittingPrior(history: MetricHistory, perRun: number): Variance | null {
  const { runVariance, sittingVariance, sittingDegrees, runsPerSitting } = history;
  if (sittingVariance === null) return null;
  const ofRuns = runVariance ?? 0;
  const drift = Math.max(0, sittingVariance - ofRuns / Math.max(1, runsPerSitting));
  return { variance: drift + ofRuns * perRun, degrees: sittingDegrees };
}
