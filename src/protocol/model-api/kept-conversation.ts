import { chatRequest } from '../chat-request.ts';
import type {
  ChatRequest,
  Conversation,
  Received,
  Reply,
  Route,
  Said,
  ToolCall,
  ToolResult,
  Verdict,
} from '../protocol.ts';

/** How an API is spoken whose client keeps the conversation: one value for all conversations with a target. */
export interface KeptDialect {
  readonly route: Route;
  /** The body of a request with these messages: JSON texts with commas between. */
  body(messages: string, said: Said): string;
  /** What the user says, as JSON text. */
  userMessage(message: string): string;
  /** What tools gave, as JSON texts. */
  resultMessages(results: readonly ToolResult[]): string;
  /** What the agent said, as JSON text; '' for an answer that the API would not take back. */
  answerMessage(text: string, calls: readonly ToolCall[]): string;
  read(received: Received): Verdict;
}

/**
 * A conversation that its client sends again with every turn, as JSON texts that are made once. Only what was answered
 * is kept. A class, since there may be a hundred thousand of them at a time.
 *
 *     what was said and answered before, the latest answer, what is said now
 */
export class KeptConversation implements Conversation {
  readonly sessionId: string;
  readonly #dialect: KeptDialect;
  /** Up to the latest answer, and without it. */
  #before = '';
  #answer = '';
  /** The same without its tool calls: these APIs refuse calls whose results do not follow. */
  #answerWithoutCalls = '';
  /** The messages of the latest request. */
  #sent = '';

  constructor(sessionId: string, dialect: KeptDialect) {
    this.sessionId = sessionId;
    this.#dialect = dialect;
  }

  request(said: Said): ChatRequest {
    const { message, toolResults } = said;
    const dialect = this.#dialect;
    this.#sent =
      toolResults === undefined
        ? join(this.#before, this.#answerWithoutCalls, dialect.userMessage(message))
        : join(this.#before, this.#answer, dialect.resultMessages(toolResults));
    return chatRequest(dialect.route, dialect.body(this.#sent, said));
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
