import { z } from 'zod';
import type { Ms } from '../base/time.ts';
import { closedObject } from './closed-object.ts';
import { duration, positiveDuration } from './duration.ts';
import type { Duration } from './duration.ts';

/** Limits that an ok turn has to keep to count for goodput: all that are given. */
export interface Objectives {
  /** Its latency. */
  turn?: Duration;
  /** From its send to the first content of its reply. */
  firstToken?: Duration;
  /** The longest gap between two pieces of its reply. */
  gap?: Duration;
}

/** Users who leave before a reply is complete. */
export interface AbandonOptions {
  /** Of the turns, 0 to 1, drawn by seed. */
  share: number;
  /** How long after the send of an attempt. */
  after: Duration;
}

/** Objectives as read. */
export interface SettledObjectives {
  turn?: Ms | undefined;
  firstToken?: Ms | undefined;
  gap?: Ms | undefined;
}

const several = closedObject({
  turn: duration.optional(),
  firstToken: duration.optional(),
  gap: duration.optional(),
});

/** The schema of `objective`: takes one duration, that of the turn, or several by name. */
export const objectiveOption = z.custom<Duration | Objectives>().transform((value, context): SettledObjectives => {
  const isNamed = typeof value === 'object';
  const read = several.safeParse(isNamed ? value : { turn: value }, { reportInput: true });
  if (read.success) return read.data;
  for (const issue of read.error.issues)
    context.issues.push({ input: value, ...issue, path: isNamed ? issue.path : [] } as never);
  return z.NEVER;
});

/** The schema of `abandon`. */
export const abandonOption = closedObject({ share: z.number().min(0).max(1), after: positiveDuration });
