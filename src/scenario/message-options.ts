import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { closedObject } from './closed-object.ts';
import { conversationFile, type ReadConversationFile } from './conversation-file.ts';
import type { ConversationFile } from './from-file.ts';
import type { ConversationScript, MessageFunction, MessageOptions, NextMessage } from './scenario-values.ts';

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

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isMessage = (value: unknown): boolean => typeof value === 'string' || isFunction(value);

const inTurn = z.custom<readonly (string | MessageFunction)[] | MessageFunction>(
  (value) => isFunction(value) || (Array.isArray(value) && value.length > 0 && value.every(isMessage)),
  {
    error:
      'expected at least one message: an array of texts or functions, one function, { first, next }, or fromFile(...)',
  },
);

const branching = closedObject({
  first: z.custom<ConversationScript['first']>(isMessage, { error: 'expected a text or a function' }),
  next: z.custom<NextMessage>(isFunction, {
    error: 'expected a function of the reply that returns the next message, or null',
  }),
});

/** The schema of `messages`; selects the form by its shape, so that a problem is reported for the intended form. */
export const messageOptions = z
  .custom<MessageOptions>(() => true)
  .transform((value, context): ReadMessages => {
    const read = formOf(value).safeParse(value, { reportInput: true });
    if (read.success) return read.data;
    for (const issue of read.error.issues) context.issues.push({ input: value, ...issue } as never);
    return z.NEVER;
  });

function formOf(value: unknown): z.ZodType<ReadMessages> {
  if (!isObject(value)) return inTurn;
  return 'file' in value ? conversationFile : branching;
}
