import { z } from 'zod';
import { text } from '../base/field.ts';

export const findingSchema = z.object({
  id: text('The rule'),
  section: text('Of the API description'),
  rule: text('What it says'),
  expected: text('What keeps it'),
  standing: z
    .enum(['required', 'recommended'])
    .describe(
      'required: a run reads other replies wrongly, or not at all; recommended: the description is silent, or a run does without it',
    ),
  seen: text('What the service did'),
  verdict: z
    .enum(['pass', 'fail', 'warn', 'skipped'])
    .describe('warn: a recommended rule is not kept; skipped: it could not be tried'),
});
/** What was found of one rule; every text is fit to be shown. */
export type RuleFinding = z.infer<typeof findingSchema>;
