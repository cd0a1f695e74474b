import type { Conversation } from './conversation.ts';

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
