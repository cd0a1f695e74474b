import type { MetricHistory } from '../history.ts';
import type { Design } from './match-runs.ts';

/** What is known of the variance of one observation before it is made, and how many degrees of freedom that is worth. */
export interface Prior {
  variance: number;
  degrees: number;
}

/** Less history than this is none. */
const leastDegrees = 5;
/** However long the history: tonight's runs keep a say, since a machine may have become noisier. */
const mostDegrees = { pair: 6, run: 6, sitting: 10 } as const;

export interface PriorOptions {
  unit: Design<unknown>['unit'];
  /** The mean of 1 / runs over the sittings of both sides. */
  perRun: number;
}

/** The variance of an observation by history; `null` without enough of it. */
export function priorOf(history: MetricHistory, { unit, perRun }: PriorOptions): Prior | null {
  const known = unit === 'sitting' ? sittingPrior(history, perRun) : runPrior(history);
  if (known === null || known.degrees < leastDegrees) return null;
  const degrees = Math.min(known.degrees, mostDegrees[unit]);
  // The difference of a pair holds the noise of two runs.
  return { variance: known.variance * (unit === 'pair' ? 2 : 1), degrees };
}

/** Of a run within its sitting. Where history tells only of sittings, their variance is the larger one. */
function runPrior(history: MetricHistory): Prior | null {
  const { runVariance, runDegrees, sittingVariance, sittingDegrees, runsPerSitting } = history;
  if (runVariance !== null && runDegrees >= leastDegrees) return { variance: runVariance, degrees: runDegrees };
  if (sittingVariance === null) return null;
  return { variance: sittingVariance * Math.max(1, runsPerSitting), degrees: sittingDegrees };
}

/** Of a sitting's mean. With fewer runs in it than history had, more of their noise is left in it, with more runs less. */
function sittingPrior(history: MetricHistory, perRun: number): Prior | null {
  const { runVariance, sittingVariance, sittingDegrees, runsPerSitting } = history;
  if (sittingVariance === null) return null;
  const ofRuns = runVariance ?? 0;
  const drift = Math.max(0, sittingVariance - ofRuns / Math.max(1, runsPerSitting));
  return { variance: drift + ofRuns * perRun, degrees: sittingDegrees };
}
