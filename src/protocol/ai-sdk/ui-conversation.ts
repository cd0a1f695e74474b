import { randomUUID } from 'node:crypto';
import { chatRequest } from '../chat-request.ts';
import { jsonIn, refused } from '../classify-whole.ts';
import type { Instructions } from '../instructions.ts';
import { readStreamed } from '../model-api/read-reply.ts';
import type {
  ChatRequest,
  Conversation,
  Received,
  Reply,
  Route,
  ToolCall,
  ToolResult,
  TurnContent,
  Verdict,
} from '../protocol.ts';

/** The parts of requests that all chats with a target share. */
interface UiDialect {
  readonly route: Route;
  /** The beginning of every body, without its `}`. */
  readonly fields: string;
  readonly instructions: Instructions;
}

/**
 * One chat: its messages as JSON texts, as the AI SDK's client sends them. The results of tools are parts of the assistant's
 * message that called them, and calls without a result are not sent again.
 */
export class UiConversation implements Conversation {
  readonly sessionId: string;
  readonly #dialect: UiDialect;
  /** Unique, because services may store chats by it. */
  readonly #chatId = randomUUID();
  /** The messages before the latest reply. */
  #before: readonly string[] = [];
  #reply: Reply | undefined;
  /** The messages of the latest request. */
  #sent: readonly string[] = [];

  constructor(sessionId: string, dialect: UiDialect) {
    this.sessionId = sessionId;
    this.#dialect = dialect;
  }

  request(turnContent: TurnContent): ChatRequest {
    const { message, toolResults } = turnContent;
    const { route, fields, instructions } = this.#dialect;
    const said = toolResults === undefined ? [this.#message('user', [{ type: 'text', text: message }])] : [];
    this.#sent = [...this.#before, ...this.#answer(toolResults ?? []), ...said];
    const system = instructions(turnContent);
    const first = system === '' ? [] : [uiMessage('instructions', 'system', [{ type: 'text', text: system }])];
    return chatRequest(route, `${fields},"id":"${this.#chatId}","messages":[${[...first, ...this.#sent].join(',')}]}`);
  }

  read(received: Received): Verdict {
    return refuseOldStream(received) ?? readStreamed(received);
  }

  replied(reply: Reply): void {
    this.#before = this.#sent;
    this.#reply = reply;
  }

  left(text: string): void {
    if (text !== '') this.replied({ text, id: undefined, data: undefined });
  }

  /** Returns the message of the latest reply; none without text and without results. */
  #answer(results: readonly ToolResult[]): string[] {
    if (this.#reply === undefined) return [];
    const { text, id, toolCalls = [] } = this.#reply;
    const texts = text === '' ? [] : [{ type: 'text', text }];
    const parts = [...texts, ...results.map((result) => toolPart(result, toolCalls))];
    return parts.length === 0 ? [] : [this.#message('assistant', parts, id)];
  }

  #message(role: string, parts: readonly object[], id = `${role}-${String(this.#before.length + 1)}`): string {
    return uiMessage(id, role, parts);
  }
}

/** Returns the verdict on a stream of version 4 of the AI SDK, which the clients of later versions cannot read: lines such as `0:"text"`. */
function refuseOldStream({ stream, status, body }: Received): Verdict | undefined {
  if (stream !== undefined || status !== 200 || !/^[0-9a-k]:["[{]/.test(body)) return undefined;
  return refused(
    'malformed',
    'a data stream of AI SDK 4: update the service to UI message streams (AI SDK 5 or later), or describe it with defineProtocol',
  );
}

const uiMessage = (id: string, role: string, parts: readonly object[]): string => JSON.stringify({ id, role, parts });

/** Returns the part with the result of a tool, and the input with which it was called. */
function toolPart({ id, name, content }: ToolResult, calls: readonly ToolCall[]): object {
  const input = jsonIn(calls.find((call) => call.id === id)?.arguments ?? '{}');
  return { type: `tool-${name}`, toolCallId: id, state: 'output-available', input, output: jsonIn(content) ?? content };
}
