import { mean } from '../../statistics/mean.ts';
import type { MetricHistory } from '../document/history.ts';
import type { Design } from './match-runs.ts';
import type { Sample } from './sample.ts';
import type { Variance } from '../../statistics/moderated-variance.ts';
import type { Scale } from '../../statistics/scales.ts';

/** What is known of the variance of one observation before it is made, and its degrees of freedom. */
export interface Prior extends Variance {
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
const leastDegrees = 5;
/** Limits the weight of history, so that tonight's runs count: a machine may have become noisier. */
const mostDegrees = { pair: 6, run: 6, sitting: 10 } as const;
const assumedDegrees = 4;

/** The variance of an observation by history, or else by what is assumed; `null` without either. */
export function priorOf({ history, assumed }: KnownNoise, sample: Sample, unit: Design<unknown>['unit']): Prior | null {
  return (
    (history === undefined ? null : learntPrior(history, sample, unit)) ??
    (assumed === undefined ? null : assumedPrior(assumed, sample, unit))
  );
}

function learntPrior(history: MetricHistory, { perRun }: Sample, unit: Design<unknown>['unit']): Prior | null {
  const known = unit === 'sitting' ? sittingPrior(history, perRun) : runPrior(history);
  if (known === null || known.degrees < leastDegrees) return null;
  const degrees = Math.min(known.degrees, mostDegrees[unit]);
  // The difference of a pair holds the noise of two runs.
  return { variance: known.variance * (unit === 'pair' ? 2 : 1), degrees, isAssumed: false };
}

/**
 * Where each side is one observation, or is made of few sittings: what sittings are assumed to differ by, and what the
 * runs themselves show of their noise. As soon as sittings have as many degrees of freedom as a history needs, they are
 * believed instead. Runs of one sitting differ by no more than sittings do.
 */
function assumedPrior({ relative, scale }: Assumption, sample: Sample, unit: Design<unknown>['unit']): Prior | null {
  if (sample.degrees >= (unit === 'sitting' ? leastDegrees : 1)) return null;
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
  if (runVariance !== null && runDegrees >= leastDegrees) return { variance: runVariance, degrees: runDegrees };
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
