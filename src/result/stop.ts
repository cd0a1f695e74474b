import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import type { RunStop } from '../schedule/ending.ts';
import { text } from './field.ts';

export const stopSchema = z.object({
  kind: z
    .enum([
      'max_duration',
      'cap',
      'gate',
      'no_success',
      'target_gone',
      'target_unfit',
      'circuit',
      'signal',
      'scenario_error',
      'journal',
      'bug',
    ])
    .describe(
      'maxDuration; maxTurns, maxSessions or maxCost; a gate with abort; nothing ok for too long; nobody reached for too long; a target that answered, but never once well; a refused key (401, 403); a signal; a function of the scenario that failed; a journal that could not be written; a mistake of chat-load',
    ),
  why: text('The same in words, with figures; secrets are taken out'),
});
export type Stop = z.infer<typeof stopSchema>;

/** What ended a run, as it is published; secrets are still in it. */
export function publishStop(stop: RunStop | undefined): Stop | null {
  if (stop === undefined) return null;
  if ('why' in stop) return { kind: stop.kind, why: stop.why };
  const why = 'error' in stop ? messageOf(stop.error) : 'a signal told it to stop';
  return { kind: stop.kind, why };
}
