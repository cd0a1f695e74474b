import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';
import { attemptClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { httpVersions } from '../../protocol/http-version.ts';
import { operations } from '../../protocol/protocol.ts';

export const publishedExampleSchema = z.object({
  outcome: z.enum(attemptClassNames as [AttemptClass, ...AttemptClass[]]).describe('The class of the attempt'),
  operation: z.enum(operations).describe('What was sent'),
  session: count("The session's number, from 1"),
  turn: count("The turn's number, from 1; 0 for a creation"),
  status: z.int().describe('The HTTP status; 0 when no complete response head was read'),
  detail: text('What was wrong; secrets are redacted'),
  atMs: durationMs("When it ended, since the run's start"),
  traceId: z.string().nullable().describe('The id of its trace (W3C traceparent); null unless trace is set'),
  protocol: z.enum(httpVersions).describe('The version of HTTP that it was sent over'),
  texts: z
    .object({
      message: text('What was sent; empty for a creation'),
      reply: text('The body received; empty without a complete reply'),
    })
    .nullable()
    .describe('The texts, cut to 2,000 characters, secrets redacted; null unless keepTexts is set'),
});

/** One attempt that was not ok, as it is published. */
export type PublishedExample = z.infer<typeof publishedExampleSchema>;
