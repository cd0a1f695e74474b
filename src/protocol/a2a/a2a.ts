import { randomUUID } from 'node:crypto';
import { isObject } from '../../base/is-object.ts';
import { chatRequest } from '../chat-request.ts';
import { broken, jsonIn } from '../classify-whole.ts';
import { compileInstructions, type Instructions } from '../instructions.ts';
import { messageRoute } from '../model-api/message-route.ts';
import { readStreamed, readWhole } from '../model-api/read-reply.ts';
import type {
  ChatApi,
  ChatProtocol,
  ChatRequest,
  Conversation,
  ProtocolTarget,
  Received,
  Reply,
  Route,
  TurnContent,
  Verdict,
} from '../protocol.ts';
import { judgeResult } from './judge-task.ts';
import { TaskReader } from './read-task.ts';

/**
 * A2A 1.0 over JSON-RPC: a session is a context, a turn is a message that begins a task or continues one that asked for
 * input, and the agent keeps the conversation. Requests go to the URL of the agent's interface itself, so that no path
 * identifies the protocol. Source: https://a2a-protocol.org/v1.0.0/specification/
 */
export const a2a: ChatProtocol = {
  name: 'a2a',
  endOf: (_, { jsonrpc, method }) =>
    jsonrpc === '2.0' && (method === 'SendMessage' || method === 'SendStreamingMessage') ? '' : undefined,
  history: 'service',
  mayLackAgent: true,
  createsSessions: () => false,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: openApi,
};

/** Path at the embedded service. */
const embeddedPath = '/a2a';

const headers = { 'A2A-Version': '1.0' };

function openApi(target: ProtocolTarget): ChatApi {
  const { stream, baseUrl, instructions } = target;
  const path = baseUrl === null ? embeddedPath : new URL(baseUrl).pathname === '/' ? '/' : '';
  const dialect: MessageDialect = {
    route: messageRoute({ ...target, baseUrl: null }, { path, headers, begin: () => new TaskReader() }),
    method: stream ? 'SendStreamingMessage' : 'SendMessage',
    metadata: target.messageBody,
    instructions: instructions === null || instructions === undefined ? () => '' : compileInstructions(instructions),
    read: stream ? readStreamed : readWhole(judgeResult),
  };
  return { creation: undefined, converse: (sessionId) => new ContextConversation(sessionId, dialect) };
}

/** The parts of requests that all conversations with an agent share. */
interface MessageDialect {
  readonly route: Route;
  readonly method: string;
  /** The scenario's fields of the message's metadata. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly instructions: Instructions;
  read(received: Received): Verdict;
}

/** One context of an agent. */
class ContextConversation implements Conversation {
  readonly sessionId: string;
  readonly #dialect: MessageDialect;
  #contextId: unknown;
  /** The task that asked for input. */
  #taskId: unknown;

  constructor(sessionId: string, dialect: MessageDialect) {
    this.sessionId = sessionId;
    this.#dialect = dialect;
  }

  /** The id of the message is the same in all attempts of a turn: an agent may recognize a repeated message by it. */
  request(turnContent: TurnContent): ChatRequest {
    const { message, variableValues } = turnContent;
    const { route, method, metadata, instructions } = this.#dialect;
    const system = this.#contextId === undefined ? instructions(turnContent) : '';
    const variables: unknown = variableValues === '' ? undefined : jsonIn(variableValues);
    const fields = { ...(isObject(variables) && variables), ...metadata };
    const params = {
      message: {
        messageId: randomUUID(),
        contextId: this.#contextId,
        taskId: this.#taskId,
        role: 'ROLE_USER',
        parts: [...(system === '' ? [] : [{ text: system }]), { text: message }],
        ...(Object.keys(fields).length > 0 && { metadata: fields }),
      },
    };
    return chatRequest(route, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  }

  /** A reply in another context belongs to another conversation. */
  read(received: Received): Verdict {
    const verdict = this.#dialect.read(received);
    const contextId = isObject(verdict.reply?.data) ? verdict.reply.data['contextId'] : undefined;
    const isOther = typeof contextId === 'string' && this.#contextId !== undefined && contextId !== this.#contextId;
    return isOther ? { ...broken('contextId is not the context id that was sent'), isRestarted: true } : verdict;
  }

  replied({ data }: Reply): void {
    if (!isObject(data)) return;
    // A reply without its context continues the one that was sent.
    this.#contextId = data['contextId'] ?? this.#contextId;
    this.#taskId = data['continues'] === true ? data['taskId'] : undefined;
  }
}
