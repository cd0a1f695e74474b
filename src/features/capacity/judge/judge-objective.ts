import { tQuantile } from '../../../statistics/student-t.ts';
import { shareBounds } from '../../../statistics/incomplete-beta.ts';
import { ratioError, type RatioError } from '../../../statistics/batch-error.ts';
import type { Part } from './player.ts';
import type { ObjectiveSeen, StepVerdict } from '../document/step.ts';
import type { Objective } from './objective.ts';
import type { Demands } from './certainty.ts';

/** Evaluation of an objective in a window, and the correlation of neighbouring batches. */
export interface Judged {
  seen: ObjectiveSeen;
  correlation: number;
  /** Factor by which the window would have to be longer for a verdict; Infinity: exactly at the limit. */
  neededTimes: number;
  /** `null` for counts and without data. */
  error: RatioError | null;
}

/** Judges one objective by the parts of the steady intervals. `correlation`: correlation of neighbouring batches of the underlying queue. */
export function judgeObjective(
  objective: Objective,
  parts: readonly Part[],
  { alpha, minBatches, correlation }: Pick<Demands, 'alpha' | 'minBatches'> & { correlation: number },
): Judged {
  const error = ratioError(parts, minBatches, correlation);
  if (error === null) return { seen: nothingSeen(objective), correlation: 0, neededTimes: 1, error: null };
  const { limit } = objective.share;
  const { low, high } = boundsOf(objective, error, alpha);
  const verdict = high < limit ? 'holds' : low > limit ? 'broken' : 'undecided';
  const { ratio } = error;
  const reach = ratio < limit ? high - ratio : ratio - low;
  return {
    seen: { ...nothingSeen(objective), verdict, actual: objective.share.figureOf(ratio), share: ratio, low, high },
    correlation: error.correlation,
    error,
    neededTimes: (reach / Math.abs(limit - ratio)) ** 2,
  };
}

/** Judges an upper limit on a count, over the whole step. */
export function judgeCount(objective: Objective, { part, whole }: Part): Judged {
  const { limit } = objective.share;
  const verdict = part > limit ? 'broken' : whole > 0 ? 'holds' : 'undecided';
  return {
    seen: { ...nothingSeen(objective), verdict, actual: part, share: part, low: part, high: part },
    correlation: 0,
    neededTimes: 1,
    error: null,
  };
}

export function nothingSeen({ metric, condition, share: { limit } }: Objective): ObjectiveSeen {
  return { metric, condition, verdict: 'undecided', actual: null, share: null, low: null, high: null, limit };
}

/** Returns the bounds by the noise between batches, or by chance alone if that is larger. */
function boundsOf({ share: { kind } }: Objective, error: RatioError, alpha: number): { low: number; high: number } {
  const { ratio, whole, standardError, degrees } = error;
  const t = tQuantile(1 - alpha, degrees);
  const far = tQuantile(1 - alpha, 1e6);
  if (kind === 'share') {
    const byChance = (ratio * (1 - ratio)) / whole;
    const repeated = byChance > 0 ? Math.max(1, standardError ** 2 / byChance) : 1;
    const count = (whole / repeated) * (far / t) ** 2;
    return shareBounds({ part: ratio * count, count }, alpha);
  }
  if (kind === 'mean') return { low: ratio - t * standardError, high: ratio + t * standardError };
  const reach = t * Math.max(standardError, Math.sqrt(ratio / whole));
  // The rule of three, at 5 %, if no event was observed.
  return { low: ratio - reach, high: ratio + Math.max(reach, -Math.log(alpha) / whole) };
}

export interface JudgedWindow {
  errors: readonly (RatioError | null)[];
  times: number;
}

/** One-sided probability of an error at the limit: smaller than for one step, because a load is evaluated repeatedly. */
const alpha = 0.005;
/** Minimum total length in relaxation times. */
const minTimes = { holds: 60, broken: 10 };

export interface Pooled {
  verdict: Exclude<StepVerdict, 'no_evidence'>;
  objectives: ObjectiveSeen[];
}

/** Judges the windows of several steps of one load together; `null` if an objective has no data in any of them, or is a count. */
export function poolSteps(windows: readonly JudgedWindow[], objectives: readonly Objective[]): Pooled | null {
  const times = windows.reduce((sum, window) => sum + window.times, 0);
  const asked = objectives.filter(({ isGuard }) => !isGuard).length;
  const seen = objectives.map((objective, at): ObjectiveSeen | null => {
    const error = poolErrors(windows.flatMap(({ errors }) => errors[at] ?? []));
    if (error === null) return null;
    const { low, high } = boundsOf(objective, error, alpha / Math.max(1, asked));
    const { limit, figureOf } = objective.share;
    const isHolding = high < limit && times >= minTimes.holds;
    const verdict = isHolding ? 'holds' : low > limit && times >= minTimes.broken ? 'broken' : 'undecided';
    const { ratio } = error;
    return { ...nothingSeen(objective), verdict, actual: figureOf(ratio), share: ratio, low, high };
  });
  const known = seen.flatMap((each) => each ?? []);
  if (known.length < seen.length) return null;
  const isBroken = known.some(({ verdict }) => verdict === 'broken');
  const isHolding = known.every(({ verdict }, at) => verdict === 'holds' || objectives[at]?.isGuard === true);
  return { verdict: isBroken ? 'broken' : isHolding ? 'holds' : 'undecided', objectives: known };
}

/** Weights errors by turns. Uses the error within the steps, or the error between three or more of them if it is larger. */
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
