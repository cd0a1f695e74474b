import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import type { StopWithInstant } from '../../schedule/stop/stop-controller.ts';
import { text } from '../../base/field.ts';
import { keyRemedy, targetRemedy } from './target-remedy.ts';

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
  reason: text('The same in words, with figures; secrets are taken out'),
  remedy: z
    .string()
    .nullable()
    .default(null)
    .describe('What to do about it; null where nothing is wrong, or nothing is known'),
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
export function publishStop(stop: StopWithInstant | undefined): Stop | null {
  if (stop === undefined) return null;
  const { kind, atMs } = stop;
  return { kind, reason: whyOf(stop), remedy: remedyOf(stop), atMs };
}

function whyOf(stop: StopWithInstant): string {
  if ('why' in stop) return stop.why;
  return 'error' in stop ? messageOf(stop.error) : 'a signal told it to stop';
}

function remedyOf(stop: StopWithInstant): string | null {
  switch (stop.kind) {
    case 'circuit':
      return keyRemedy;
    case 'target_gone':
    case 'no_success':
      return 'See whether the service is up. How long is waited for it: stopWhen in the scenario.';
    case 'target_unfit':
      return targetRemedy(stop.operation, stop.outcome);
    case 'journal':
      return 'What had been sent until then is in the result. Make room, or name another folder with --out.';
    case 'cap':
    case 'max_duration':
    case 'gate':
    case 'signal':
    case 'scenario_error':
    case 'bug':
      return null;
  }
}
