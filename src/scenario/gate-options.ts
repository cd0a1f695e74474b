import { z } from 'zod';
import { closedObject, expecting, readWith, truth } from './closed-object.ts';
import { duration } from './duration.ts';
import { assumed, defaulted, noted, orDefault, type Written } from './option.ts';

export const gateShape = {
  gate: noted(z.string({ error: "expected a condition such as '< 5%'" }), {
    meaning: "The condition, such as `'< 5%'`.",
    required: true,
  }),
  abort: defaulted(truth, {
    meaning: 'Stops the run as soon as the gate fails.',
    default: false,
  }),
  after: assumed(duration, {
    meaning: 'Measured time before the gate is first evaluated, from the end of the warm-up.',
    default: '0s',
  }),
  confident: defaulted(truth, {
    meaning:
      'Compares the 95 % confidence interval of the percentile, not only its value: with `<` its upper end, with `>` its lower end. If the run is too short for an interval, the gate fails. Cannot be combined with `abort`.',
    default: false,
  }),
};
const details = closedObject(gateShape)
  .refine(({ abort, after }) => abort || after === undefined, {
    path: ['after'],
    message: 'after requires abort: true',
  })
  .refine(({ abort, confident }) => !abort || !confident, {
    path: ['confident'],
    message: 'a gate with abort: true cannot be confident: confidence intervals are only known at the end of the run',
  })
  .transform(({ gate, abort, after, confident }) => ({
    gate,
    /** Time since the end of the warm-up; `undefined`: evaluated only at the end. */
    abortAfterMs: abort ? orDefault(gateShape.after, after) : undefined,
    /** True if the whole 95 % interval of the percentile must meet the condition. */
    isConfident: confident,
  }));

/** The schema of one gate: a condition, or an object with one. */
const gateOption = z
  .custom<string | Written<typeof gateShape>>()
  .transform((value, context) =>
    readWith(details, typeof value === 'string' ? { gate: value } : value, context, anythingElse),
  );
const anythingElse = expecting("a condition such as '< 5%', or { gate, abort, after, confident }");

/** Maximum number of gates of a result, including the gate on turns.ok: larger tables take minutes. */
export const maxGates = 2000;

/** The schema of `gates`. */
export const gatesOption = z
  .record(z.string(), gateOption)
  .refine((gates) => Object.keys({ ...gates, 'turns.ok': '' }).length <= maxGates, {
    error: `expected at most ${String(maxGates)} gates, including the gate on turns.ok`,
  });
