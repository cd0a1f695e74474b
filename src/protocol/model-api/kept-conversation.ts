import { chatRequest } from '../chat-request.ts';
import type {
  ChatRequest,
  Conversation,
  Received,
  Reply,
  Route,
  TurnContent,
  ToolCall,
  ToolResult,
  Verdict,
} from '../protocol.ts';

/** Requests and replies of an API whose client keeps the conversation; one value serves all conversations with a target. */
export interface KeptDialect {
  readonly route: Route;
  /** Returns the body of a request with these messages: JSON texts separated by commas. */
  body(messages: string, turnContent: TurnContent): string;
  /** Serializes a user message. */
  userMessage(message: string): string;
  /** Serializes tool results. */
  resultMessages(results: readonly ToolResult[]): string;
  /** Serializes a reply; '' for one that the API would not accept. */
  answerMessage(text: string, calls: readonly ToolCall[]): string;
  read(received: Received): Verdict;
}

/**
 * A conversation that its client sends again with every turn, as JSON texts that are serialized once. Only answered
 * messages are kept. A class, because a hundred thousand instances may exist at the same time.
 *
 *     earlier messages and replies, the latest reply, the new message
 */
export class KeptConversation implements Conversation {
  readonly sessionId: string;
  readonly #dialect: KeptDialect;
  /** The messages before the latest reply. */
  #before = '';
  #answer = '';
  /** The latest reply without its tool calls: these APIs reject calls whose results do not follow. */
  #answerWithoutCalls = '';
  /** The messages of the latest request. */
  #sent = '';

  constructor(sessionId: string, dialect: KeptDialect) {
    this.sessionId = sessionId;
    this.#dialect = dialect;
  }

  request(turnContent: TurnContent): ChatRequest {
    const { message, toolResults } = turnContent;
    const dialect = this.#dialect;
    this.#sent =
      toolResults === undefined
        ? join(this.#before, this.#answerWithoutCalls, dialect.userMessage(message))
        : join(this.#before, this.#answer, dialect.resultMessages(toolResults));
    return chatRequest(dialect.route, dialect.body(this.#sent, turnContent));
  }

  read(received: Received): Verdict {
    return this.#dialect.read(received);
  }

  replied({ text, toolCalls = [] }: Reply): void {
    this.#before = this.#sent;
    this.#answer = this.#dialect.answerMessage(text, toolCalls);
    if (toolCalls.length === 0) this.#answerWithoutCalls = this.#answer;
    else this.#answerWithoutCalls = text === '' ? '' : this.#dialect.answerMessage(text, []);
  }

  left(text: string): void {
    if (text !== '') this.replied({ text, id: undefined, data: undefined });
  }
}

const join = (...messages: readonly string[]): string => messages.filter((message) => message !== '').join(',');
