import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { positiveDuration } from './duration.ts';
import { defaulted } from './option.ts';

const countOrOff = z.union([z.literal(false), z.int().min(1)], {
  error: 'expected a whole number of 1 or more, or false',
});

const lengthOrOff = z.union([z.literal(false), positiveDuration], {
  error: "expected a duration such as '1m', or false",
});

export const stopShape = {
  unusable: defaulted(countOrOff, {
    meaning:
      'Stops the run when this many creations or turns have finished and all failed in a way that neither a retry nor waiting can fix; `false`: never.',
    default: 10,
  }),
  noSuccess: defaulted(lengthOrOff, {
    meaning: 'Stops the run when attempts end but no turn is ok for this long; `false`: never.',
    default: '1m',
  }),
  targetGone: defaulted(lengthOrOff, {
    meaning: 'Stops the run when every attempt ends in `connect_failed` for this long; `false`: never.',
    default: '30s',
  }),
};

/** The schema of `stopWhen`. */
export const stopOptions = closedObject(stopShape);
