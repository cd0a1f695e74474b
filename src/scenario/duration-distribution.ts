import { z } from 'zod';
import { closedObject, readWith } from './closed-object.ts';
import { duration, lengthMs, readDuration, type Duration } from './duration.ts';
import { withSharedNote } from './option.ts';

/** Distribution of a duration: constant, uniform between two bounds, lognormal, or exponential. */
export type DurationDistribution =
  | Duration
  | { min: Duration; max: Duration }
  /** Lognormal: half of the draws are below the median; `sigma` is the standard deviation of the logarithm (default 0.5: p95 is 2.3 times the median). */
  | { median: Duration; sigma?: number }
  /** Exponential. */
  | { mean: Duration };

/** The schema of a distribution of durations as read. */
export const readDistribution = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), ms: lengthMs }),
  z.object({ kind: z.literal('uniform'), minMs: lengthMs, maxMs: lengthMs }),
  z.object({ kind: z.literal('lognormal'), medianMs: lengthMs, sigma: z.number() }),
  z.object({ kind: z.literal('exponential'), meanMs: lengthMs }),
]);
export type ResolvedDistribution = z.infer<typeof readDistribution>;

const uniform = closedObject({ min: duration, max: duration })
  .refine(({ min, max }) => min <= max, { message: 'min must not be greater than max' })
  .transform(({ min, max }): ResolvedDistribution => ({ kind: 'uniform', minMs: min, maxMs: max }));

const defaultSigma = 0.5;

const lognormal = closedObject({ median: duration, sigma: z.number().min(0).max(10).default(defaultSigma) }).transform(
  ({ median, sigma }): ResolvedDistribution => ({ kind: 'lognormal', medianMs: median, sigma }),
);

const exponential = closedObject({ mean: duration }).transform(({ mean }): ResolvedDistribution => ({
  kind: 'exponential',
  meanMs: mean,
}));

const constant = duration.transform((value): ResolvedDistribution => ({ kind: 'constant', ms: value }));

const anyDistribution = z
  .custom<DurationDistribution>()
  .transform((value, context) => readWith(formOf(value), value, context));

/** The schema of a distribution of durations; selects the form by its keys, so that a problem is reported for the intended form. */
export const durationDistribution = withSharedNote(anyDistribution, { type: 'DurationDistribution' });

function formOf(value: unknown): z.ZodType<ResolvedDistribution> {
  if (typeof value !== 'object' || value === null || readDuration(value) !== undefined) return constant;
  if ('median' in value || 'sigma' in value) return lognormal;
  if ('mean' in value) return exponential;
  return uniform;
}
