import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { positiveDuration, type Duration } from './duration.ts';

/** Users who leave before a reply is complete. */
export interface AbandonOptions {
  /** Share of the turns, 0 to 1, drawn by seed. */
  share: number;
  /** Time after the send of an attempt. */
  after: Duration;
}

/** The schema of `abandon`. */
export const abandonOption = closedObject({ share: z.number().min(0).max(1), after: positiveDuration });
