import { z } from 'zod';
import { isObject } from '../../../base/is-object.ts';
import { admit, isRefused } from '../../exchange/admit.ts';
import { sendCreation } from '../../exchange/apply-fault.ts';
import { timestampOf } from '../../exchange/service-context.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import type { ServerExchange } from '../../exchange/server-exchange.ts';
import { success } from '../../http/delivery.ts';
import type { Incoming } from '../../http/receive-body.ts';
import type { MadeReply, ToolCall } from '../../model-api/make-reply.ts';
import {
  breakingAt,
  convertError,
  convertFault,
  typedEvent,
  type ModelApi,
  type Problem,
  type StreamSerializer,
} from '../../model-api/model-api.ts';
import { bodyReader, contentField, textOf } from '../../model-api/read-fields.ts';
import { conversationIdOf } from '../../model-api/recall.ts';
import { serveApi } from '../../model-api/serve-api.ts';

const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: contentField,
  tool_call_id: z.string().optional(),
});

const read = bodyReader({ input: z.looseObject({ messages: z.array(message).min(1) }) }, ({ input }) => {
  const system = input.messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
  return {
    said: input.messages
      .filter(({ role }) => role !== 'system')
      .map(({ role, content }) => ({ from: speakers[role], text: textOf(content) })),
    instructions: system.length === 0 ? undefined : system.join('\n'),
    maxTokens: Infinity,
    includesUsage: true,
    kept: undefined,
  };
});

const speakers = { system: 'user', user: 'user', assistant: 'agent', tool: 'tool' } as const;

const runs: ModelApi = {
  idPrefix: 'run-',
  hasDone: false,
  read: (body, { thread = '', kind } = {}) => {
    if (!isObject(body)) return read(body);
    const { assistant_id: model } = body;
    if (typeof model !== 'string') return { status: 422, message: 'assistant_id is required' };
    const request = read({ ...body, model, stream: kind === 'stream', tools: [] });
    if ('status' in request) return { ...request, status: 422 };
    return { ...request, kept: { responseId: undefined, conversationId: conversationIdOf(thread), isStored: true } };
  },
  error: ({ message: detail }) => JSON.stringify({ detail }),
  whole: (reply) => JSON.stringify(stateAfter(reply)),
  numbersEvents: false,
  stream: (reply) => new RunSerializer(reply),
  broken: breakingAt('messages'),
};

/** Threads and runs of a LangGraph server. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/threads/:thread/runs/:kind(^stream$|^wait$)',
      shownPath: '/threads/ID/runs/wait',
      meaning: 'A run on a thread of LangGraph: `/runs/stream` or `/runs/wait`; `assistant_id` is the agent',
      body: { assistant_id: 'agent-support', input: { messages: [{ role: 'user', content: 'Where is my order?' }] } },
      serve: (exchange, incoming) => serveApi(exchange, incoming, runs),
    },
    create: {
      path: '/threads',
      meaning: 'Creates a thread of LangGraph: its id in `thread_id`',
      body: {},
      serve: serveThread,
    },
  },
  keyIn: ({ authorization, 'x-api-key': key }) => (typeof key === 'string' ? `Bearer ${key}` : authorization),
};

function serveThread(exchange: ServerExchange, incoming: Incoming): void | Promise<void> {
  const { context } = exchange;
  const admitted = admit(exchange, incoming);
  if (isRefused(admitted)) return exchange.send(convertError(runs, admitted));
  const create = () => {
    const created_at = timestampOf(context.clock.wallNow());
    const { id: thread_id } = context.sessions.create('');
    const thread = { thread_id, created_at, updated_at: created_at, metadata: {}, status: 'idle', values: null };
    return success(200, JSON.stringify(thread));
  };
  return sendCreation(exchange, create, breakingAt('thread_id'), (effect, early) => convertFault(runs, effect, early));
}

/** Returns the messages of the thread before the reply. */
function messagesBefore({ earlier = () => [], request }: MadeReply): object[] {
  const kept = earlier().flatMap(({ message: said, response }, index) => [
    { type: 'human', id: `human-${String(index + 1)}`, content: said },
    { type: 'ai', id: `ai-${String(index + 1)}`, content: response, tool_calls: [] },
  ]);
  const new_ = request.said.map(({ from, text }) => ({ type: from === 'tool' ? 'tool' : 'human', content: text }));
  return [...kept, ...new_];
}

const stateAfter = (reply: MadeReply) => ({ messages: [...messagesBefore(reply), wholeMessage(reply)] });

function wholeMessage(reply: MadeReply) {
  const { id, tool, itemId, tokens, others = [], request, usage } = reply;
  const calls = tool === undefined ? [] : [{ tool, itemId, tokens }, ...others];
  return {
    id,
    type: 'ai',
    content: tool === undefined ? tokens.join('') : '',
    tool_calls: calls.map(callOf),
    response_metadata: { model_name: request.model, finish_reason: reply.finish },
    usage_metadata: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      input_token_details: { cache_read: usage.cached ?? 0 },
      output_token_details: { reasoning: usage.reasoning },
    },
  };
}

const callOf = ({ tool, itemId, tokens }: ToolCall) => ({
  id: `call_${itemId}`,
  name: tool,
  args: JSON.parse(tokens.join('')) as unknown,
  type: 'tool_call',
});

class RunSerializer implements StreamSerializer {
  readonly #reply: MadeReply;
  #call = 0;

  constructor(reply: MadeReply) {
    this.#reply = reply;
  }

  opening(): string[] {
    return [
      event('metadata', { run_id: this.#reply.itemId, attempt: 1 }),
      event('values', { messages: messagesBefore(this.#reply) }),
    ];
  }

  reasoning(token: string): string {
    return this.#chunk({ content: '', additional_kwargs: { reasoning_content: token } });
  }

  turning(): string[] {
    return [];
  }

  answer(token: string): string {
    const { tool } = this.#reply;
    if (tool === undefined) return this.#chunk({ content: token });
    return this.#chunk({ content: '', tool_call_chunks: [{ index: this.#call, name: tool, args: token }] });
  }

  next(): string[] {
    this.#call++;
    return [];
  }

  closing(): string[] {
    return [event('values', stateAfter(this.#reply))];
  }

  failing({ message: text, status }: Problem): string[] {
    return [event('error', { error: status === 429 ? 'RateLimitError' : 'InternalServerError', message: text })];
  }

  #chunk(fields: object): string {
    const { id, request } = this.#reply;
    const chunk = { id, type: 'AIMessageChunk', tool_call_chunks: [], ...fields };
    return event('messages', [chunk, { langgraph_node: 'agent', ls_model_name: request.model }]);
  }
}

const event = (type: string, data: unknown): string => typedEvent(type, JSON.stringify(data));
