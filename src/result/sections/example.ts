import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';
import { attemptClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { httpVersions } from '../../protocol/http-version.ts';
import { operations } from '../../protocol/protocol.ts';

export const publishedExampleSchema = z.object({
  outcome: z.enum(attemptClassNames as [AttemptClass, ...AttemptClass[]]).describe('Class of the attempt'),
  operation: z.enum(operations).describe('Operation of the request'),
  session: count('Number of the session, from 1'),
  turn: count('Number of the turn, from 1; 0 for a creation'),
  status: z.int().describe('HTTP status; 0 when no complete response head was read'),
  detail: text('Description of the failure; secrets are redacted'),
  atMs: durationMs('End of the attempt, since the start of the run'),
  traceId: z.string().nullable().describe('Id of its trace (W3C traceparent); null unless trace is set'),
  protocol: z.enum(httpVersions).describe('HTTP version of the request'),
  texts: z
    .object({
      message: text('Message sent; empty for a creation'),
      reply: text('Response body; empty without a complete reply'),
    })
    .nullable()
    .describe('Texts, cut to 2,000 characters, secrets redacted; null unless keepTexts is set'),
});

/** A published example of a failed attempt. */
export type PublishedExample = z.infer<typeof publishedExampleSchema>;
