import { composeReply } from '../../src/reference-service/conversation/compose-reply.ts';
import { StoredConversation } from '../../src/reference-service/conversation/conversation.ts';
import { compileInstructions } from '../../src/reference-service/conversation/instructions.ts';

/** Fields of a reply's `data` that the integrity guard checks. */
export interface Given {
  response: string;
  chatId: string;
  conversation: { message: string }[];
}

/** Session and message that a reply belongs to. */
export interface Place {
  sessionId: string;
  /** Number of messages of the session so far, this one included. */
  nth: number;
  message: string;
}

export interface MessageSent {
  sessionId: string;
  message: string;
  variableValues?: Readonly<Record<string, unknown>>;
}

/**
 * The embedded service's own agent, without the service; `spoil` changes its reply like a faulty agent, and `forget`
 * makes it answer without the earlier messages.
 */
export class HonestAgent {
  spoil: (given: Given, place: Place) => Given = (given) => given;
  forgets: (place: Place) => boolean = () => false;
  readonly #brief = compileInstructions('You talk to {{customerName}}.');
  readonly #conversations = new Map<string, StoredConversation>();
  #replies = 0;

  answer({ sessionId, message, variableValues }: MessageSent): Given {
    const conversation = this.#conversationOf(sessionId);
    const place = { sessionId, message, nth: conversation.count + 1 };
    const earlier = this.forgets(place) ? newConversation() : conversation;
    const response = composeReply({ briefing: this.#brief(variableValues ?? {}), earlier, message });
    conversation.add({ message, response, createdAt: '2026-01-01T00:00:00Z' });
    const turns = conversation.remembered().map((turn) => ({ message: turn.message }));
    return this.spoil({ response, chatId: `chat-${String(++this.#replies)}`, conversation: turns }, place);
  }

  #conversationOf(sessionId: string): StoredConversation {
    const known = this.#conversations.get(sessionId) ?? newConversation();
    this.#conversations.set(sessionId, known);
    return known;
  }
}

const newConversation = (): StoredConversation => new StoredConversation({ turns: 1000, characters: 1e6 });
