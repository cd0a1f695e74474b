import { z } from 'zod';
import type { Ms } from '../base/time.ts';
import { closedObject } from './closed-object.ts';
import { duration, positiveDuration } from './duration.ts';
import type { Duration } from './duration.ts';

/** Limits that an ok turn must meet to count for goodput: all that are set. */
export interface Objectives {
  /** Latency of the turn. */
  turn?: Duration;
  /** Time from the turn's send to the first content of its reply. */
  firstToken?: Duration;
  /** Longest gap between two content events of the reply. */
  gap?: Duration;
}

/** Users who leave before a reply is complete. */
export interface AbandonOptions {
  /** Share of the turns, 0 to 1, drawn by seed. */
  share: number;
  /** Time after the send of an attempt. */
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

/** The schema of `objective`: accepts one duration (for the turn), or several by name. */
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
