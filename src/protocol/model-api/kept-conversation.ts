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
export interface KeptDialect extends MessageForms {
  readonly route: Route;
  /** Returns the body of a request with these messages: JSON texts separated by commas. */
  body(messages: string, turnContent: TurnContent): string;
  read(received: Received): Verdict;
}

/** The messages of a conversation in the form of an API: JSON texts separated by commas. */
export interface MessageForms {
  /** Serializes a user message. */
  userMessage(message: string): string;
  /** Serializes tool results. */
  resultMessages(results: readonly ToolResult[]): string;
  /** Serializes a reply; '' for one that the API would not accept. */
  answerMessage(text: string, calls: readonly ToolCall[]): string;
}

/** The messages of a conversation that its client keeps, as JSON texts that are serialized once. Only answered messages are kept. */
export class KeptMessages {
  readonly #forms: MessageForms;
  /** The messages before the latest reply. */
  #before = '';
  #answer = '';
  /** The latest reply without its tool calls: these APIs reject calls whose results do not follow. */
  #answerWithoutCalls = '';
  /** The messages of the latest turn, the conversation before it included. */
  #sent = '';

  constructor(forms: MessageForms) {
    this.#forms = forms;
  }

  /** Begins a turn. Returns the whole conversation, with its message or results. */
  protected compose(turnContent: TurnContent): string {
    const answer = turnContent.toolResults === undefined ? this.#answerWithoutCalls : this.#answer;
    return (this.#sent = join(this.#before, answer, this.added(turnContent)));
  }

  /** Returns the message or the results of a turn. */
  protected added({ message, toolResults }: TurnContent): string {
    return toolResults === undefined ? this.#forms.userMessage(message) : this.#forms.resultMessages(toolResults);
  }

  replied({ text, toolCalls = [] }: Reply): void {
    this.#before = this.#sent;
    this.#answer = this.#forms.answerMessage(text, toolCalls);
    if (toolCalls.length === 0) this.#answerWithoutCalls = this.#answer;
    else this.#answerWithoutCalls = text === '' ? '' : this.#forms.answerMessage(text, []);
  }

  left(text: string): void {
    if (text !== '') this.replied({ text, id: undefined, data: undefined });
  }
}

/**
 * A conversation that its client sends again with every turn. A class, because a hundred thousand instances may exist at
 * the same time.
 *
 *     earlier messages and replies, the latest reply, the new message
 */
export class KeptConversation extends KeptMessages implements Conversation {
  readonly sessionId: string;
  readonly #dialect: KeptDialect;

  constructor(sessionId: string, dialect: KeptDialect) {
    super(dialect);
    this.sessionId = sessionId;
    this.#dialect = dialect;
  }

  request(turnContent: TurnContent): ChatRequest {
    return chatRequest(this.#dialect.route, this.#dialect.body(this.compose(turnContent), turnContent));
  }

  read(received: Received): Verdict {
    return this.#dialect.read(received);
  }
}

const join = (...messages: readonly string[]): string => messages.filter((message) => message !== '').join(',');
