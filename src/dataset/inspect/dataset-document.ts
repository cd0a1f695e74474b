import { z } from 'zod';
import { count, sizeBytes, text } from '../../base/field.ts';
import { personalKinds } from '../redact/personal-rules.ts';
import { repairs } from '../formats/repair-conversation.ts';
import { skips } from '../formats/format.ts';
import { scriptNames } from './script-of.ts';

const distributionSchema = z.object({
  mean: z.number().min(0),
  p50: z.number().min(0),
  p95: z.number().min(0),
  p99: z.number().min(0),
  max: z.number().min(0),
});
/** Quantiles are at most 1 % too high. */
export type Distribution = z.infer<typeof distributionSchema>;

const distribution = (meaning: string) => distributionSchema.nullable().describe(`${meaning}; null if there are none`);

const placeSchema = z.object({ where: text('`line 12`, with the file if there are several'), detail: z.string() });

const messagesSchema = z.object({
  count: count('Messages'),
  characters: distribution('Characters of a message (UTF-16 code units)'),
  estimatedTokens: distribution(
    'Tokens of a message, estimated without a tokenizer: one per Chinese, Japanese or Korean character, and one per four other characters',
  ),
});

export const datasetSchema = z.object({
  kind: z.literal('chat-load/dataset'),
  schemaVersion: z.literal(1),
  toolVersion: text('Version of chat-load'),
  files: z.array(
    z.object({
      path: z.string(),
      format: text('Format, as in --from'),
      container: text('File format: jsonl, json or csv'),
      bytes: sizeBytes('Size of the file'),
    }),
  ),
  conversations: count('Conversations that a run can use'),
  turns: distribution('User messages per conversation'),
  user: messagesSchema,
  assistant: messagesSchema,
  languages: z.object({
    stated: z
      .array(z.object({ language: z.string(), conversations: z.int().min(1) }))
      .describe('Languages stated in the files (ISO 639)'),
    unstated: count('Conversations without a stated language'),
    scripts: z
      .partialRecord(z.enum(scriptNames), z.int().min(0))
      .describe('Conversations by the script of user messages: a guess that distinguishes scripts, not languages'),
  }),
  duplicates: z.object({
    exact: count('Conversations equal to an earlier one except for capitals and spaces'),
    near: count('Other conversations that share most of their text with an earlier one, estimated by MinHash'),
    compared: z
      .enum(['all', 'part'])
      .describe('part: there were more conversations than are remembered, so the counts are lower bounds'),
  }),
  personal: z.array(
    z.object({
      kind: z.enum(personalKinds),
      count: count('Number of matches'),
      conversations: count('Conversations with a match'),
      examples: z.array(placeSchema).describe('First matches, as shapes: letters as x, digits as 0'),
    }),
  ),
  scattered: z.int().min(0).describe('Conversations with the id of an earlier, non-adjacent conversation'),
  repaired: z.partialRecord(z.enum(repairs), z.int().min(0)).describe('Messages that a conversion would repair'),
  skipped: z.array(z.object({ reason: z.enum(skips), count: z.int().min(1), first: z.array(placeSchema) })),
});
export type DatasetDocument = z.infer<typeof datasetSchema>;
