import { z } from 'zod';
import { durationMs, text } from '../../base/field.ts';
import { stopSchema } from './stop.ts';

const runStatuses = ['completed', 'stopped', 'interrupted', 'recovered'] as const;

/** What is known of a run apart from its figures. */
export const runFactsSchema = z.object({
  id: text('A name of the run that no other has'),
  label: z.string().nullable().describe('What the run was called on the command line; null when it was not'),
  sitting: z.string().nullable().describe('Runs measured back to back share it; null for a run on its own'),
  pair: z.string().nullable().describe('Interleaved runs of two releases share it by pairs; null for a run on its own'),
  startedAt: z.iso.datetime().describe('Start of the load (ISO 8601, UTC)'),
  endedAt: z.iso.datetime().describe('End of the load (ISO 8601, UTC)'),
  status: z
    .enum(runStatuses)
    .describe('completed; stopped before its end, see stop; interrupted by a signal; recovered from a journal'),
  stop: stopSchema.nullable().default(null).describe('What ended the run before its end; null when nothing did'),
  toolVersion: text('The version of chat-load'),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

export const runSchema = runFactsSchema.extend({
  durationMs: durationMs(
    'From the start of the load to the end of the last session, warm-up and grace period included',
  ),
});
