import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import type { ToldStop } from '../schedule/ending.ts';
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
      'maxDuration; maxTurns, maxSessions or maxCost; a gate with abort; no turn ok for too long; nobody reached for too long; a target that answered, but never once well; a refused key (401, 403); a signal; a function of the scenario that failed; a journal that could not be written; a mistake of chat-load',
    ),
  why: text('The same in words, with figures; secrets are taken out'),
  atMs: z
    .number()
    .nullable()
    .default(null)
    .describe(
      'When the run was told to stop, since its start; sessions may still have ended after it (milliseconds; null in a result of an older chat-load)',
    ),
});
export type Stop = z.infer<typeof stopSchema>;

/** What ended a run, as it is published; secrets are still in it. */
export function publishStop(stop: ToldStop | undefined): Stop | null {
  if (stop === undefined) return null;
  if ('why' in stop) return { kind: stop.kind, why: stop.why, atMs: stop.atMs };
  const why = 'error' in stop ? messageOf(stop.error) : 'a signal told it to stop';
  return { kind: stop.kind, why, atMs: stop.atMs };
}
