import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { positiveDuration } from './duration.ts';
import { defaulted } from './option.ts';

const lengthOrOff = z.union([z.literal(false), positiveDuration], {
  error: "expected a duration such as '1m', or false",
});

export const stopShape = {
  noSuccess: defaulted(lengthOrOff, {
    meaning: 'Stops the run when attempts end, and no turn is ok, for this long; `false`: never.',
    default: '1m',
  }),
  targetGone: defaulted(lengthOrOff, {
    meaning: 'Stops the run when every attempt ends in `connect_failed` for this long; `false`: never.',
    default: '30s',
  }),
};

/** The schema of `stopWhen`. */
export const stopOptions = closedObject(stopShape);
