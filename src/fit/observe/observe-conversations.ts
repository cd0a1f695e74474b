import { keyOf, randomOf } from '../../base/random.ts';
import type { ConversationSource } from '../../dataset/conversation.ts';
import { userTurns } from '../../dataset/user-turns.ts';
import { Sample } from './sample.ts';
import { TurnTally } from './turn-tally.ts';

/** What conversations hold, read once in constant memory. */
export interface ObservedConversations {
  turns: TurnTally;
  /** In characters (UTF-16 units). */
  messages: Sample;
  replies: Sample;
}

export function observeConversations(
  conversations: ConversationSource,
  { seed }: { seed: number },
): ObservedConversations {
  const observed: ObservedConversations = {
    turns: new TurnTally(),
    messages: new Sample(randomOf(seed, keyOf('messages')), [1]),
    replies: new Sample(randomOf(seed, keyOf('replies')), [1]),
  };
  for (let index = 0; index < conversations.count; index++) {
    const conversation = conversations.at(index);
    const said = userTurns(conversation);
    observed.turns.add(said.length);
    for (const text of said) observed.messages.add(text.length);
    for (const { role, content } of conversation.messages)
      if (role === 'assistant') observed.replies.add(content.length);
  }
  return observed;
}
