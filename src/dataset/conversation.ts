import type { ChatLoadError } from '../base/errors.ts';

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** A conversation in the form of OpenAI's messages, one per line of a file. */
export interface Conversation {
  id?: string | undefined;
  /** ISO 639-1, if the source states it. */
  language?: string | undefined;
  /** Contains at least one user message. */
  messages: readonly { role: Role; content: string }[];
}

/** Random access to the conversations of a file of any size, in constant memory. */
export interface ConversationSource {
  readonly count: number;
  /** SHA-256 of the file. */
  readonly digest: string;
  /** Returns conversation `index`, from 0. Throws a usage error that names file and line if it is malformed. */
  at(index: number): Conversation;
}

/** A source that knows the number of turns of each conversation without reading it. */
export interface CountedConversations extends ConversationSource {
  /** Returns the number of user turns in conversation `index`, from 0. */
  turnsAt(index: number): number;
  /** Number of conversations by number of turns, in ascending order. */
  readonly turnCounts: readonly (readonly [turns: number, conversations: number])[];
  /** Malformed lines, which are omitted, and the first of them. */
  readonly skipped: { lines: number; first: readonly { line: number; why: string }[] };
  /** Number of conversations with consecutive user messages, which are one turn. */
  readonly merged: number;
  /** Returns the error if the file has changed since it was opened. */
  changed(): ChatLoadError | undefined;
}

type Messages = Pick<Conversation, 'messages'>;

/** Returns the user's turns: consecutive messages are one turn, separated by an empty line. */
export function userTurns({ messages }: Messages): string[] {
  const turns: string[] = [];
  let isUser = false;
  for (const { role, content } of messages) {
    if (role === 'user' && isUser) turns.push(`${turns.pop() ?? ''}\n\n${content}`);
    else if (role === 'user') turns.push(content);
    isUser = role === 'user';
  }
  return turns;
}

export function countUserTurns({ messages }: Messages): number {
  return messages.filter(({ role }, index) => role === 'user' && messages[index - 1]?.role !== 'user').length;
}

/** Reports whether there are consecutive user messages. */
export function hasRuns({ messages }: Messages): boolean {
  return messages.some(({ role }, index) => role === 'user' && messages[index - 1]?.role === 'user');
}

/** Returns the instructions to the agent; `undefined` if there are none. */
export function systemText({ messages }: Messages): string | undefined {
  const texts = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return texts.length === 0 ? undefined : texts.join('\n\n');
}
