import { z } from 'zod';
import type { CountedConversations } from '../dataset/conversation.ts';
import { closedObject } from './closed-object.ts';

/** Tolerated malformed lines of a file: a number of lines, or a share of all. */
export type MalformedBound = { lines: number } | { share: number };

const share = /^(\d+(?:\.\d+)?)\s*%$/;

const bound = z
  .union([z.int().min(0), z.string().regex(share, { error: "expected a number of lines, or a share such as '1%'" })], {
    error: "expected a number of lines, or a share such as '1%'",
  })
  .transform((given): MalformedBound =>
    typeof given === 'number' ? { lines: given } : { share: Number(share.exec(given)?.[1] ?? 0) / 100 },
  );

/** The schema of `fromFile`'s value. `source` is the open file, set by the code that loads the scenario. */
export const conversationFile = closedObject({
  file: z.string().min(1),
  order: z.enum(['random', 'inOrder']).default('random'),
  maxMalformed: bound.prefault('1%'),
  system: z.enum(['send', 'omit']).default('send'),
  source: z.custom<() => CountedConversations>((value) => typeof value === 'function').optional(),
});

export type ReadConversationFile = z.output<typeof conversationFile>;
