import type { ChatLoadError } from '../base/errors.ts';

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** A conversation as files of ours have it, one a line: OpenAI's form of messages. */
export interface Conversation {
  id?: string | undefined;
  /** ISO 639-1, where the source says it. */
  language?: string | undefined;
  /** At least one of the user. */
  messages: readonly { role: Role; content: string }[];
}

/** The conversations of a file: any of them at once, in constant memory, whatever the size of the file. */
export interface ConversationSource {
  readonly count: number;
  /** SHA-256 of what it holds. */
  readonly digest: string;
  /** Conversation `index`, from 0. Throws a usage error that names file and line when it is none. */
  at(index: number): Conversation;
}

/** The same, where the number of turns of each is known without its text. */
export interface CountedConversations extends ConversationSource {
  /** The turns of the user in conversation `index`, from 0. */
  turnsAt(index: number): number;
  /** How many conversations have so many turns, by rising number of turns. */
  readonly turnCounts: readonly (readonly [turns: number, conversations: number])[];
  readonly skipped: Skipped;
  /** Conversations in which the user says several messages in a row, which are one turn. */
  readonly merged: number;
  /** The error if the file has changed since it was opened, whether or not that was read. */
  changed(): ChatLoadError | undefined;
}

/** Lines of a file that are no conversation, and were left out. */
export interface Skipped {
  lines: number;
  /** The first of them. */
  first: readonly { line: number; why: string }[];
}

type Messages = Pick<Conversation, 'messages'>;

/** What the user says, turn by turn: messages that follow each other without an answer are one turn, with an empty line between. */
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

/** How many they are, without making their texts. */
export function countUserTurns({ messages }: Messages): number {
  return messages.filter(({ role }, index) => role === 'user' && messages[index - 1]?.role !== 'user').length;
}

/** Whether the user says several messages in a row. */
export function hasRuns({ messages }: Messages): boolean {
  return messages.some(({ role }, index) => role === 'user' && messages[index - 1]?.role === 'user');
}

/** What the agent was told before; `undefined`: nothing. */
export function systemText({ messages }: Messages): string | undefined {
  const texts = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return texts.length === 0 ? undefined : texts.join('\n\n');
}
