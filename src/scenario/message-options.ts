import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import type { ConversationScript, MessageFunction, MessageOptions, NextMessage } from './scenario.ts';

/** The most turns of a session whose script branches, where the scenario does not say. */
export const mostBranchingTurns = 10;

/** Whether what is said depends on what is replied. */
export function branches(messages: MessageOptions): messages is ConversationScript {
  return typeof messages === 'object' && 'next' in messages;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isMessage = (value: unknown): boolean => typeof value === 'string' || isFunction(value);

const inTurn = z.custom<readonly (string | MessageFunction)[] | MessageFunction>(
  (value) => isFunction(value) || (Array.isArray(value) && value.length > 0 && value.every(isMessage)),
  { error: 'expected at least one message: an array of texts or functions, one function, or { first, next }' },
);

const branching = closedObject({
  first: z.custom<ConversationScript['first']>(isMessage, { error: 'expected a text or a function' }),
  next: z.custom<NextMessage>(isFunction, {
    error: 'expected a function of the reply that returns the next message, or null',
  }),
});

/** The schema of `messages`; picks the form by its shape, so that a problem is reported for the intended form. */
export const messageOptions = z
  .custom<MessageOptions>(() => true)
  .transform((value, context): MessageOptions => {
    const isObject = typeof value === 'object' && (value as unknown) !== null && !Array.isArray(value);
    const read = (isObject ? branching : inTurn).safeParse(value, { reportInput: true });
    if (read.success) return read.data;
    for (const issue of read.error.issues) context.issues.push({ input: value, ...issue } as never);
    return z.NEVER;
  });
