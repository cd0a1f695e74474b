import { z } from 'zod';
import { failedClassNames, traitsOf, type FailedClass, type FinishedClass } from '../protocol/outcome.ts';
import { unknownName } from '../base/unknown-name.ts';
import { closedObject } from './closed-object.ts';
import { duration } from './duration.ts';
import { defaulted, noted, option, type Written } from './option.ts';

const retriedByDefault = failedClassNames.filter((name) => traitsOf(name).retriedByDefault);

const className = z.string().transform((name, context): FinishedClass => {
  const known = failedClassNames.find((each) => each === name);
  if (known !== undefined) return known;
  context.addIssue({ code: 'custom', message: unknownName('class', name, failedClassNames) });
  return z.NEVER;
}) as unknown as z.ZodType<FinishedClass, FailedClass>;

export const budgetShape = {
  share: noted(z.number().gt(0).max(1), {
    meaning: 'Maximum share of attempts that may be retries.',
    required: true,
    plan: 'share',
  }),
  window: defaulted(duration, { meaning: 'Length of the sliding window.', default: '10s', plan: 'windowMs' }),
};

export const retryShape = {
  maxAttempts: defaulted(z.int().min(1).max(100), {
    meaning: 'Maximum number of attempts of an operation, including the first.',
    default: 4,
    plan: 'maxAttempts',
  }),
  classes: defaulted(z.array(className), {
    meaning: 'Outcome classes that are retried.',
    type: 'readonly RetryClass[]',
    default: retriedByDefault,
  }),
  base: defaulted(duration, {
    meaning: 'The first backoff, before jitter.',
    default: '500ms',
    plan: 'baseMs',
  }),
  factor: defaulted(z.number().min(1).max(100), {
    meaning: 'Factor by which each further backoff grows.',
    default: 2,
    plan: 'factor',
  }),
  cap: defaulted(duration, {
    meaning: 'Maximum backoff of the policy; a wait that a reply states may exceed it.',
    default: '30s',
    plan: 'capMs',
  }),
  jitter: defaulted(z.enum(['none', 'full', 'equal', 'decorrelated']), {
    meaning: 'Randomization of backoffs: none, from 0 up (`full`), over the upper half (`equal`), or decorrelated.',
    default: 'full',
    plan: 'jitter',
  }),
  respectRetryAfter: defaulted(z.boolean(), {
    meaning: 'Waits at least as long as `Retry-After`, or another field that states a wait, requires.',
    default: true,
    plan: 'respectRetryAfter',
  }),
  maxRetryAfter: defaulted(duration, {
    meaning: 'Maximum accepted wait of `Retry-After` and other fields; with a longer one the operation fails at once.',
    default: '60s',
    plan: 'maxRetryAfterMs',
  }),
  idempotent: defaulted(z.boolean(), {
    meaning:
      'The service recognizes a repeated request, as an A2A agent may by its `messageId`: retries are safe, and a turn that is stored twice is a failure of integrity.',
    default: false,
  }),
  budget: option(closedObject(budgetShape), {
    type: 'RetryBudgetOptions',
    meaning: 'Retry budget: maximum share of attempts that may be retries, over a sliding window.',
  }),
};

const policy = closedObject(retryShape);

type AuthorsPolicy = Written<typeof retryShape> | 'none';

/** A policy as read; `'none'` is a single attempt. */
export type ResolvedPolicy = z.output<typeof policy>;

const policyOrNone = z
  .custom<Record<string, unknown> | 'none'>(isPolicyLike, {
    error: "expected a policy, or 'none' for a single attempt",
  })
  .transform((value) => (value === 'none' ? { maxAttempts: 1 } : value))
  .pipe(policy);
const named = z.record(z.string().regex(/^[\w-]+$/, 'names are letters, digits, - and _'), policyOrNone);

/** Maximum number of retry policies of a scenario: tables of more take minutes. */
export const maxPolicies = 500;

/** The schema of `retry`: policies by name; a single one is called `default`, or `none`. */
export const retryOptions = z
  .custom<AuthorsPolicy | Readonly<Record<string, AuthorsPolicy>>>()
  .transform((value) => (areNamed(value) ? value : { [value === 'none' ? 'none' : 'default']: value }))
  .pipe(
    named.refine((policies) => Object.keys(policies).length <= maxPolicies, {
      error: `expected at most ${String(maxPolicies)} policies`,
    }),
  );

/** Reports whether a value is several policies: an object of objects. In a single policy, only `budget` is an object. */
export function areNamed(value: unknown): value is Record<string, Record<string, unknown> | 'none'> {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([name, part]) => !(name in retryShape) && isPolicyLike(part));
}

function isPolicyLike(part: unknown): boolean {
  return part === 'none' || (typeof part === 'object' && part !== null);
}
