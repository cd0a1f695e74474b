import { tTail } from '../../statistics/student-t.ts';
import { isContradicted, minVariance, moderate, type Variance } from '../../statistics/differences.ts';
import { matchRuns, type Design, sampleOf, type Sample } from './sample.ts';
import type { Observed } from '../document/side.ts';
import { mean } from '../../statistics/averages.ts';
import type { MetricHistory } from '../document/history.ts';
import type { Scale } from '../../statistics/scales.ts';

/** The noise in a shift, on the scale of comparison. */
export interface Noise {
  /** Of one observation: a run, a pair's difference or the mean of a sitting. */
  variance: number;
  /** The part of it that longer runs would reduce; `null` where not every run shows it. */
  withinRuns: number | null;
  /** How many observations a difference takes: 1 where pairs are the observations, else 2. */
  sides: 1 | 2;
  /** Of the shift; 0 where no noise was seen at all. */
  standardError: number;
  degrees: number;
  /** Of these, those from the history or the assumed noise. */
  priorDegreesOfFreedom: number;
  /** Whether these come from what is assumed of sittings, since there is no history. */
  isAssumed: boolean;
  /** Why history, or the assumption, was not used: the runs are noisier. */
  noisierThan: 'history' | 'assumed' | null;
  /** Probability of a shift so large, in either direction, between equal releases. */
  p: number;
}

/** How far the head side is from the base side, on the scale of comparison. */
export interface ChangeEstimate {
  unit: Design<unknown>['unit'];
  base: number;
  head: number;
  /** head - base. */
  shift: number;
  /** Of the side with fewer of them. */
  observations: number;
  noise: Noise | { unknown: string };
}

/** Shifts below this are rounding errors. */
const nothing = 1e-9;
const minRunsWithoutFloor = 3;

/**
 * The change from base to head by the moderated t of Smyth (2004): the variance between observations is drawn towards
 * that of history, or without one towards what is assumed, and never below the one within runs. Each side holds at
 * least one run.
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
    noise: weigh(sample, priorOf(known, sample, design.unit)),
  };
}

function weigh(sample: Sample, prior: Prior | null): ChangeEstimate['noise'] {
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
    priorDegreesOfFreedom: believed.degrees,
    isAssumed: believed.isAssumed,
    noisierThan: prior === null || believed === prior ? null : prior.isAssumed ? 'assumed' : 'history',
    p: isSilent ? pWithoutNoise(sample, shift) : 2 * tTail(shift / standardError, degrees),
  };
}

const nobodyKnows: Prior = { variance: 0, degrees: 0, isAssumed: false };

/**
 * Without any noise there is no t. What still holds is the test by permutation: among equal releases, how many ways of
 * dealing the runs to the two sides set them apart as clearly.
 */
const pWithoutNoise = (sample: Sample, shift: number): number =>
  shift < nothing ? 1 : Math.min(1, sample.shareAsClear);

const tooFewToKnow = ({ runs }: Sample): string =>
  runs === 1 ? 'one run per side and no history' : 'one sitting per side and no history';

/** Why runs that do not show their own noise are too few; `null` when they are enough. */
function tooFewWithoutFloor({ isFloorKnown, runs }: Sample): string | null {
  if (isFloorKnown || runs >= minRunsWithoutFloor) return null;
  return `too few intervals to estimate the noise within a run: ${String(minRunsWithoutFloor)} runs per side are needed`;
}

/** What is known of the variance of one observation before it is made, and its degrees of freedom. */
interface Prior extends Variance {
  /** Assumed: how much sittings are taken to differ. */
  isAssumed: boolean;
}

/** What is assumed about sittings until there is a history. */
export interface Assumption {
  /** By how much sittings differ: the standard deviation, as a share of what is measured. */
  relative: number;
  scale: Scale;
}

/** What is known of the noise of a metric beside its runs. */
export interface KnownNoise {
  history?: MetricHistory | undefined;
  assumed?: Assumption | undefined;
}

/** A shorter history is ignored. */
const minDegrees = 5;
/** Limits the weight of history, so that tonight's runs count: a machine may have become noisier. */
const maxDegrees = { pair: 6, run: 6, sitting: 10 } as const;
const assumedDegrees = 4;

/** The variance of an observation by history, or else by what is assumed; `null` without either. */
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
  // The difference of a pair holds the noise of two runs.
  return { variance: known.variance * (unit === 'pair' ? 2 : 1), degrees, isAssumed: false };
}

/**
 * Where each side is one observation, or is made of few sittings: what sittings are assumed to differ by, and what the
 * runs themselves show of their noise. As soon as sittings have as many degrees of freedom as a history needs, they are
 * believed instead. Runs of one sitting differ by no more than sittings do.
 */
function assumedPrior({ relative, scale }: Assumption, sample: Sample, unit: Design<unknown>['unit']): Prior | null {
  if (sample.degrees >= (unit === 'sitting' ? minDegrees : 1)) return null;
  const { levels, withinRuns, betweenRuns } = sample;
  const drift = scale.deviationAt(mean([levels.base, levels.head]), relative) ** 2;
  return {
    variance: drift * (unit === 'pair' ? 2 : 1) + Math.max(withinRuns, betweenRuns),
    degrees: assumedDegrees,
    isAssumed: true,
  };
}

/** Of a run within its sitting. If the history contains only sittings, their variance is the larger one. */
function runPrior(history: MetricHistory): Variance | null {
  const { runVariance, runDegrees, sittingVariance, sittingDegrees, runsPerSitting } = history;
  if (runVariance !== null && runDegrees >= minDegrees) return { variance: runVariance, degrees: runDegrees };
  if (sittingVariance === null) return null;
  return { variance: sittingVariance * Math.max(1, runsPerSitting), degrees: sittingDegrees };
}

/** Of a sitting's mean. With fewer runs in it than history had, more of their noise is left in it, with more runs less. */
function sittingPrior(history: MetricHistory, perRun: number): Variance | null {
  const { runVariance, sittingVariance, sittingDegrees, runsPerSitting } = history;
  if (sittingVariance === null) return null;
  const ofRuns = runVariance ?? 0;
  const drift = Math.max(0, sittingVariance - ofRuns / Math.max(1, runsPerSitting));
  return { variance: drift + ofRuns * perRun, degrees: sittingDegrees };
}
