import { z } from 'zod';
import { count, durationMs, text } from '../base/field.ts';

export const findingSchema = z.object({
  id: text('Identifier of the rule'),
  section: text('Section of the API description'),
  rule: text('Requirement'),
  expected: text('Conforming behaviour'),
  standing: z
    .enum(['required', 'recommended'])
    .describe(
      'required: if it is violated, a run misreads replies or cannot read them; recommended: the description does not require it, or a run does not need it',
    ),
  seen: text('Observed behaviour of the service'),
  verdict: z
    .enum(['pass', 'fail', 'warn', 'skipped'])
    .describe('warn: a recommended rule failed; skipped: it could not be tested'),
});
/** Finding of one rule; all texts are printable. */
export type RuleFinding = z.infer<typeof findingSchema>;

/** The document of a check. */
export const checkSchema = z.object({
  kind: z.literal('chat-load/check'),
  schemaVersion: z.literal(1),
  toolVersion: text('Version of chat-load'),
  startedAt: text('Start time (ISO 8601, UTC)'),
  elapsedMs: durationMs('Duration'),
  target: z.object({ baseUrl: z.string(), embedded: z.boolean(), agentId: z.string() }),
  protocol: z
    .object({ name: z.string(), description: text('Description that contains the sections') })
    .optional()
    .describe('Protocol of the rules; omitted for chat-messaging'),
  scenario: z.string().nullable().describe('Name of the scenario; null if there is none'),
  exchanges: count('HTTP exchanges, including retries after a 429 or 5xx'),
  remedy: z
    .string()
    .nullable()
    .describe('Remedy if the first session or message was rejected, so that hardly any rule could be tested'),
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
