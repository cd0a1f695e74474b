import { z } from 'zod';
import { durationMs, text } from '../../base/field.ts';
import { stopSchema } from './stop.ts';

const runStatuses = ['completed', 'stopped', 'interrupted', 'recovered'] as const;

/** What is known of a run apart from its figures. */
export const runFactsSchema = z.object({
  id: text('A unique name of the run'),
  label: z.string().nullable().describe('The label given on the command line; null without one'),
  sitting: z.string().nullable().describe('Shared by runs measured one after another; null for a single run'),
  pair: z.string().nullable().describe('Shared by the two runs of an interleaved pair; null for a single run'),
  startedAt: z.iso.datetime().describe('Start of the load (ISO 8601, UTC)'),
  endedAt: z.iso.datetime().describe('End of the load (ISO 8601, UTC)'),
  status: z
    .enum(runStatuses)
    .describe('completed; stopped before its end, see stop; interrupted by a signal; recovered from a journal'),
  stop: stopSchema.nullable().describe('What ended the run before its end; null when nothing did'),
  toolVersion: text('The version of chat-load'),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

export const runSchema = runFactsSchema.extend({
  durationMs: durationMs(
    'From the start of the load to the end of the last session, including warm-up and grace period',
  ),
});
