import type { RatioError } from '../../statistics/ratio-error.ts';
import type { ObjectiveSeen, StepVerdict } from '../document/step.ts';
import type { Objective } from '../objectives/objective.ts';
import { boundsOf, nothingSeen } from './judge-objective.ts';

/** The judged window of a step. */
export interface JudgedWindow {
  /** One per objective, in their order; `null`: it has none, or is a count. */
  errors: readonly (RatioError | null)[];
  /** Length in relaxation times. */
  times: number;
}

/** One-sided probability of an error at the limit: smaller than that of a step, because a load is looked at again and again. */
const alpha = 0.005;
/** Total length in relaxation times. */
const leastTimes = { holds: 60, broken: 10 };

/** The common evidence of several steps of one load. */
export interface Pooled {
  verdict: Exclude<StepVerdict, 'no_evidence'>;
  objectives: ObjectiveSeen[];
}

/** Judges the windows of several steps of one load as one; `null`: an objective was not seen in any of them, or is a count. */
export function poolSteps(windows: readonly JudgedWindow[], objectives: readonly Objective[]): Pooled | null {
  const times = windows.reduce((sum, window) => sum + window.times, 0);
  const asked = objectives.filter(({ isGuard }) => !isGuard).length;
  const seen = objectives.map((objective, at): ObjectiveSeen | null => {
    const error = poolErrors(windows.flatMap(({ errors }) => errors[at] ?? []));
    if (error === null) return null;
    const { low, high } = boundsOf(objective, error, alpha / Math.max(1, asked));
    const { limit, figureOf } = objective.share;
    const isHolding = high < limit && times >= leastTimes.holds;
    const verdict = isHolding ? 'holds' : low > limit && times >= leastTimes.broken ? 'broken' : 'undecided';
    const { ratio } = error;
    return { ...nothingSeen(objective), verdict, actual: figureOf(ratio), share: ratio, low, high };
  });
  const known = seen.flatMap((each) => each ?? []);
  if (known.length < seen.length) return null;
  const isBroken = known.some(({ verdict }) => verdict === 'broken');
  const isHolding = known.every(({ verdict }, at) => verdict === 'holds' || objectives[at]?.isGuard === true);
  return { verdict: isBroken ? 'broken' : isHolding ? 'holds' : 'undecided', objectives: known };
}

/** Weighted by turns. The error is that within the steps, or that between three and more of them if it is larger. */
function poolErrors(errors: readonly RatioError[]): RatioError | null {
  const whole = errors.reduce((sum, error) => sum + error.whole, 0);
  if (whole === 0) return null;
  const weighted = (valueOf: (error: RatioError) => number): number =>
    errors.reduce((sum, error) => sum + (error.whole / whole) * valueOf(error), 0);
  const ratio = weighted((error) => error.ratio);
  const within = errors.reduce((sum, error) => sum + ((error.whole / whole) * error.standardError) ** 2, 0);
  const between =
    errors.length < 3
      ? 0
      : errors.reduce((sum, error) => sum + ((error.whole / whole) * (error.ratio - ratio)) ** 2, 0) *
        (errors.length / (errors.length - 1));
  const isBetween = between > within;
  return {
    ratio,
    whole,
    standardError: Math.sqrt(Math.max(within, between)),
    degrees: isBetween ? errors.length - 1 : errors.reduce((sum, error) => sum + error.degrees, 0),
    correlation: Math.max(...errors.map(({ correlation }) => correlation)),
  };
}
