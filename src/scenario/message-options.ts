import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import type { CountedConversations } from '../dataset/conversation.ts';
import { closedObject, readWith } from './closed-object.ts';
import type { ConversationFile } from './from-file.ts';
import type { ConversationScript, MessageFunction, MessageOptions, NextMessage } from './scenario-values.ts';

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

type ReadConversationFile = z.output<typeof conversationFile>;

/** Messages as read. */
export type ReadMessages = Exclude<MessageOptions, ConversationFile> | ReadConversationFile;

/** Default maximum number of turns of a session whose script branches. */
export const maxBranchingTurns = 10;

/** Reports whether the next message depends on the reply. */
export function branches(messages: ReadMessages): messages is ConversationScript {
  return typeof messages === 'object' && 'next' in messages;
}

/** Reports whether a session takes a conversation from a file. */
export function isFromFile(messages: ReadMessages): messages is ReadConversationFile {
  return typeof messages === 'object' && 'file' in messages;
}

const isMessage = (value: unknown): boolean => typeof value === 'string' || typeof value === 'function';

const inTurn = z.custom<readonly (string | MessageFunction)[] | MessageFunction>(
  (value) => typeof value === 'function' || (Array.isArray(value) && value.length > 0 && value.every(isMessage)),
  {
    error:
      'expected at least one message: an array of texts or functions, one function, { first, next }, or fromFile(...)',
  },
);

const branching = closedObject({
  first: z.custom<ConversationScript['first']>(isMessage, { error: 'expected a text or a function' }),
  next: z.custom<NextMessage>((value) => typeof value === 'function', {
    error: 'expected a function of the reply that returns the next message, or null',
  }),
});

/** The schema of `messages`; selects the form by its shape, so that a problem is reported for the intended form. */
export const messageOptions = z
  .custom<MessageOptions>(() => true)
  .transform((value, context) => readWith(formOf(value), value, context));

function formOf(value: unknown): z.ZodType<ReadMessages> {
  if (!isObject(value)) return inTurn;
  return 'file' in value ? conversationFile : branching;
}
