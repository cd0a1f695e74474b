import { chatRequest } from '../chat-request.ts';
import type { ChatRequest, Conversation, Received, Reply, Route, Said, ToolResult, Verdict } from '../protocol.ts';

/** What all conversations with a target have in common. */
export interface ResponsesDialect {
  readonly route: Route;
  /** The beginning of a body, without its `}`. */
  fixedFields(said: Said): string;
  read(received: Received): Verdict;
}

/** A conversation that the service keeps. A class, since there may be a hundred thousand of them at a time. */
export class ResponsesConversation implements Conversation {
  readonly sessionId: string;
  readonly #dialect: ResponsesDialect;
  /** Of the latest response that ended well; `undefined`: none did, or the conversation has an id. */
  #previousId: string | undefined;

  constructor(sessionId: string, dialect: ResponsesDialect) {
    this.sessionId = sessionId;
    this.#dialect = dialect;
  }

  request(said: Said): ChatRequest {
    const { message, toolResults } = said;
    const input = JSON.stringify(toolResults === undefined ? message : toolResults.map(writeResult));
    const fields = this.#dialect.fixedFields(said) + this.#link();
    return chatRequest(this.#dialect.route, `${fields},"input":${input}}`);
  }

  read(received: Received): Verdict {
    return this.#dialect.read(received);
  }

  replied({ id }: Reply): void {
    this.#previousId = id;
  }

  /** What ties a request to those before it. */
  #link(): string {
    if (this.sessionId !== '') return `,"conversation":${JSON.stringify(this.sessionId)}`;
    return this.#previousId === undefined ? '' : `,"previous_response_id":${JSON.stringify(this.#previousId)}`;
  }
}

const writeResult = ({ id, content }: ToolResult): object => ({
  type: 'function_call_output',
  call_id: id,
  output: content,
});
