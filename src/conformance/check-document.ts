import { z } from 'zod';
import { count, durationMs, text } from '../base/field.ts';

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
/** Finding of one rule; all texts are printable. */
export type RuleFinding = z.infer<typeof findingSchema>;

/** The document of a check. */
export const checkSchema = z.object({
  kind: z.literal('chat-load/check'),
  schemaVersion: z.literal(1),
  toolVersion: text('The version of chat-load'),
  startedAt: text('When it began (ISO 8601, UTC)'),
  elapsedMs: durationMs('How long it took'),
  target: z.object({ baseUrl: z.string(), embedded: z.boolean(), agentId: z.string() }),
  protocol: z
    .object({ name: z.string(), description: text('The description that the sections are of') })
    .optional()
    .describe('The protocol whose rules these are; left out: chat-messaging'),
  scenario: z.string().nullable().describe('Its name; null where none was given'),
  exchanges: count('HTTP exchanges, those included that were sent again after a 429 or 5xx'),
  remedy: z
    .string()
    .nullable()
    .describe('What to do where the first session or message was refused, so that hardly a rule could be tried'),
  rules: z.array(findingSchema),
  counts: z.object({
    tried: z.int(),
    passed: z.int(),
    failed: z.int(),
    warned: z.int(),
    skipped: z.int(),
  }),
});
export type CheckDocument = z.infer<typeof checkSchema>;

type CheckFacts = Omit<CheckDocument, 'kind' | 'schemaVersion' | 'counts'>;

export function buildCheck(facts: CheckFacts): CheckDocument {
  const numberOf = (verdict: RuleFinding['verdict']): number =>
    facts.rules.filter((rule) => rule.verdict === verdict).length;
  const skipped = numberOf('skipped');
  return {
    kind: 'chat-load/check',
    schemaVersion: 1,
    ...facts,
    counts: {
      tried: facts.rules.length - skipped,
      passed: numberOf('pass'),
      failed: numberOf('fail'),
      warned: numberOf('warn'),
      skipped,
    },
  };
}
