import { z } from 'zod';
import { closedObject, readWith } from './closed-object.ts';
import { duration, type Duration } from './duration.ts';

/** Limits that an ok turn must meet to count for goodput: all that are set. */
export interface Objectives {
  /** Latency of the turn. */
  turn?: Duration;
  /** Time from the turn's send to the first content of its reply. */
  firstToken?: Duration;
  /** Longest gap between two content events of the reply. */
  gap?: Duration;
}

const limit = duration.optional();
const several = closedObject({ turn: limit, firstToken: limit, gap: limit });

const onlyTurn = duration.transform((turn): z.output<typeof several> => ({ turn }));

/** The schema of `objective`: accepts one duration (for the turn), or several by name. */
export const objectiveOption = z
  .custom<Duration | Objectives>()
  .transform((value, context) => readWith(typeof value === 'object' ? several : onlyTurn, value, context));
