import { z } from 'zod';
import { isObject } from '../../../base/is-object.ts';
import { embeddedDefaults } from '../../../scenario/embedded.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import { keyIn } from '../../http/receive-body.ts';
import type { MadeReply, ReplyRequest } from '../../model-api/make-reply.ts';
import { breakingAt, type ModelApi, type Problem, type StreamSerializer } from '../../model-api/model-api.ts';
import { conversationIdOf, conversationOfReply } from '../../model-api/recall.ts';
import { serveApi } from '../../model-api/serve-api.ts';

const params = z.looseObject({
  message: z.looseObject({
    messageId: z.string().min(1),
    contextId: z.string().optional(),
    role: z.literal('ROLE_USER'),
    parts: z.array(z.looseObject({ text: z.string().optional() })).min(1),
  }),
});

const methods: readonly unknown[] = ['SendMessage', 'SendStreamingMessage'];
const methodNotFound = 'Method not found';

function readCall(body: unknown): ReplyRequest | Problem {
  const { id: requestId = null, method, params: given, jsonrpc } = isObject(body) ? body : {};
  if (jsonrpc !== '2.0') return { status: 400, message: 'Invalid request: jsonrpc must be "2.0"', requestId };
  if (!methods.includes(method)) return { status: 400, message: methodNotFound, requestId };
  const parsed = params.safeParse(given);
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    return { status: 400, message: `${path.join('.')}: ${message}`, requestId };
  }
  const { contextId, parts } = parsed.data.message;
  const conversationId = contextId === undefined ? 'new' : conversationIdOf(contextId);
  return {
    model: embeddedDefaults.agentId,
    isStreamed: method === 'SendStreamingMessage',
    instructions: undefined,
    said: [{ from: 'user', text: parts.map(({ text = '' }) => text).join('\n') }],
    maxTokens: Infinity,
    hasTools: false,
    includesUsage: false,
    kept: { responseId: undefined, conversationId, isStored: true },
    requestId,
  };
}

const tasks: ModelApi = {
  idPrefix: 'task-',
  hasDone: false,
  read: readCall,
  error: (problem) => JSON.stringify(rpcError(problem)),
  // Errors of JSON-RPC are successful responses; HTTP states those before it: keys, limits, and the service's own.
  errorStatus: ({ status }) => (status === 400 || status === 404 ? 200 : status),
  whole: (reply) => rpcResult(reply, { task: finishedTask(reply) }),
  numbersEvents: false,
  stream: (reply) => new TaskSerializer(reply),
  broken: breakingAt('result'),
};

/** Agents that speak A2A. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/a2a',
      meaning: 'A2A 1.0 over JSON-RPC: `SendMessage` and `SendStreamingMessage`',
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: 'message-1', role: 'ROLE_USER', parts: [{ text: 'Where is my order?' }] } },
      },
      serve: (exchange, incoming) => serveApi(exchange, incoming, tasks),
    },
  },
  keyIn,
};

function rpcError({ status, message, requestId = null }: Problem): object {
  return { jsonrpc: '2.0', id: requestId, error: { code: codeOf(status, message), message } };
}

function codeOf(status: number, message: string): number {
  if (message === methodNotFound) return -32601;
  if (message === 'Invalid JSON') return -32700;
  if (status === 404) return -32001;
  return status >= 500 ? -32603 : -32602;
}

const rpcResult = ({ request }: MadeReply, result: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: request.requestId, result });

/** The context's id is its conversation's, without the prefix. */
const contextOf = ({ id }: MadeReply): string => conversationOfReply(id).slice('conv_'.length);

const taskOf = (reply: MadeReply, state: string) => ({
  id: reply.itemId,
  contextId: contextOf(reply),
  status: statusOf(reply, state),
});

const statusOf = ({ createdSeconds }: MadeReply, state: string) => ({
  state: `TASK_STATE_${state}`,
  timestamp: new Date(createdSeconds * 1000).toISOString(),
});

const finishedTask = (reply: MadeReply) => ({
  ...taskOf(reply, 'COMPLETED'),
  artifacts: [{ artifactId: reply.id, name: 'reply', parts: [{ text: reply.tokens.join('') }] }],
});

class TaskSerializer implements StreamSerializer {
  readonly #reply: MadeReply;
  #hasBegun = false;

  constructor(reply: MadeReply) {
    this.#reply = reply;
  }

  opening(): string[] {
    return [this.#event({ task: taskOf(this.#reply, 'SUBMITTED') }), this.#status('WORKING')];
  }

  /** A2A has no reasoning: an update without a text. */
  reasoning(): string {
    return this.#status('WORKING');
  }

  turning(): string[] {
    return [];
  }

  answer(token: string): string {
    const { id, itemId: taskId } = this.#reply;
    const artifact = { artifactId: id, name: 'reply', parts: [{ text: token }] };
    const append = this.#hasBegun;
    this.#hasBegun = true;
    return this.#event({
      artifactUpdate: { taskId, contextId: contextOf(this.#reply), artifact, ...(append && { append }) },
    });
  }

  next(): string[] {
    return [];
  }

  closing(): string[] {
    return [this.#status('COMPLETED')];
  }

  failing(problem: Problem): string[] {
    return [`data: ${JSON.stringify(rpcError({ ...problem, requestId: this.#reply.request.requestId }))}\n\n`];
  }

  #status(state: string): string {
    const { itemId: taskId } = this.#reply;
    return this.#event({
      statusUpdate: { taskId, contextId: contextOf(this.#reply), status: statusOf(this.#reply, state) },
    });
  }

  #event(result: object): string {
    return `data: ${rpcResult(this.#reply, result)}\n\n`;
  }
}
