import { z } from 'zod';
import { text } from '../base/field.ts';

export const findingSchema = z.object({
  id: text('The rule'),
  section: text('Of the API description'),
  rule: text('What it says'),
  expected: text('What keeps it'),
  standing: z
    .enum(['described', 'settled'])
    .describe('settled: the description is silent, and a service that differs is warned of, not failed'),
  seen: text('What the service did'),
  verdict: z
    .enum(['pass', 'fail', 'warn', 'skipped'])
    .describe('warn: a rule that is settled is not kept; skipped: it could not be tried'),
});
/** What was found of one rule; every text is fit to be shown. */
export type RuleFinding = z.infer<typeof findingSchema>;
