import { z } from 'zod';
import type { SaidItem } from '../../conversation/transcript.ts';
import { keyIn } from '../../http/receive-body.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import type { MadeReply, ToolCall } from '../../model-api/make-reply.ts';
import {
  breakingAt,
  convertError,
  type ModelApi,
  type Problem,
  type StreamSerializer,
} from '../../model-api/model-api.ts';
import { bodyReader, contentField, limitField, textOf } from '../../model-api/read-fields.ts';
import { serveApi } from '../../model-api/serve-api.ts';
import { openaiError } from './openai-error.ts';

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: contentField.nullish(),
});
const fields = {
  messages: z.array(message).min(1),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: limitField,
  max_completion_tokens: limitField,
};

const speakers = { user: 'user', assistant: 'agent', tool: 'tool' } as const;

export const chatApi: ModelApi = {
  idPrefix: 'chatcmpl-',
  hasDone: true,
  read: bodyReader(fields, ({ messages, stream_options, max_tokens, max_completion_tokens }) => {
    const instructions: string[] = [];
    const said: SaidItem[] = [];
    for (const { role, content } of messages)
      if (role === 'system' || role === 'developer') instructions.push(textOf(content));
      else said.push({ from: speakers[role], text: textOf(content) });
    return {
      said,
      instructions: instructions.length === 0 ? undefined : instructions.join('\n'),
      maxTokens: max_completion_tokens ?? max_tokens ?? Infinity,
      includesUsage: stream_options?.include_usage === true,
      kept: undefined,
    };
  }),
  error: openaiError,
  whole: (reply) =>
    JSON.stringify({
      id: reply.id,
      object: 'chat.completion',
      created: reply.createdSeconds,
      model: reply.request.model,
      choices: Array.from({ length: reply.choices ?? 1 }, (_, index) => ({
        index,
        message: messageOf(reply),
        logprobs: null,
        finish_reason: reply.finish,
      })),
      usage: usageOf(reply),
      service_tier: 'default',
      system_fingerprint: null,
    }),
  numbersEvents: false,
  stream: (reply) => new CompletionSerializer(reply),
  broken: breakingAt('choices'),
};

/** OpenAI's chat completions. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/v1/chat/completions',
      meaning:
        "OpenAI's chat completions, streamed or not; `model` is the agent, and the request contains the whole conversation",
      body: { model: 'agent-support', messages: [{ role: 'user', content: 'Where is my order?' }], stream: false },
      serve: (exchange, incoming) => serveApi(exchange, incoming, chatApi),
    },
  },
  keyIn,
  models: {
    isFor: () => true,
    list: (ids, createdMs) => ({
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', created: Math.floor(createdMs / 1000), owned_by: 'chat-load' })),
    }),
    refuse: (refusal) => convertError(chatApi, refusal),
  },
};

const usageOf = ({ usage: { input, output, reasoning, cached = 0 } }: MadeReply) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

function messageOf({ reasoning, tokens, tool, itemId, others = [] }: MadeReply) {
  const text = tokens.join('');
  const thought = reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('') };
  const base = { role: 'assistant', refusal: null, annotations: [], ...thought };
  if (tool === undefined) return { ...base, content: text };
  const calls = [{ itemId, tool, tokens }, ...others];
  return { ...base, content: null, tool_calls: calls.map(callOf) };
}

const callOf = ({ itemId, tool, tokens }: ToolCall) => ({
  id: `call_${itemId}`,
  type: 'function',
  function: { name: tool, arguments: tokens.join('') },
});

export class CompletionSerializer implements StreamSerializer {
  readonly #reply: MadeReply;
  /** The beginning and the end of every chunk. */
  readonly #head: string;
  readonly #tail: string;
  readonly #choices: number;
  /** Index of the current call. */
  #call = 0;
  #isCalled = false;

  constructor(reply: MadeReply) {
    const { id, createdSeconds, request } = reply;
    const head = { id, object: 'chat.completion.chunk', created: createdSeconds, model: request.model };
    this.#reply = reply;
    this.#choices = reply.choices ?? 1;
    this.#head = `data: ${JSON.stringify({ ...head, service_tier: 'default', system_fingerprint: null }).slice(0, -1)},`;
    this.#tail = `${request.includesUsage ? ',"usage":null' : ''}}\n\n`;
  }

  opening(): string[] {
    const content = this.#reply.tool === undefined ? '""' : 'null';
    return [this.#chunk(`{"role":"assistant","content":${content},"refusal":null}`)];
  }

  reasoning(token: string): string {
    return this.#chunk(`{"reasoning_content":${JSON.stringify(token)}}`);
  }

  turning(): string[] {
    return [];
  }

  answer(token: string): string {
    if (this.#reply.tool === undefined) return this.#chunk(`{"content":${JSON.stringify(token)}}`);
    const { tool, itemId } = this.#reply.others?.[this.#call - 1] ?? this.#reply;
    const name = this.#isCalled ? {} : { id: `call_${itemId}`, type: 'function' };
    const function_ = this.#isCalled ? { arguments: token } : { name: tool, arguments: token };
    this.#isCalled = true;
    return this.#chunk(JSON.stringify({ tool_calls: [{ index: this.#call, ...name, function: function_ }] }));
  }

  next(): string[] {
    this.#call++;
    this.#isCalled = false;
    return [];
  }

  closing(): string[] {
    const finish = this.#chunk('{}', `"${this.#reply.finish}"`);
    const usage = `${this.#head}"choices":[],"usage":${JSON.stringify(usageOf(this.#reply))}}\n\n`;
    return [finish, ...(this.#reply.request.includesUsage ? [usage] : []), 'data: [DONE]\n\n'];
  }

  failing(problem: Problem): string[] {
    return [`data: ${openaiError(problem)}\n\n`];
  }

  #chunk(delta: string, finish = 'null'): string {
    let events = '';
    for (let index = 0; index < this.#choices; index++)
      events += `${this.#head}"choices":[{"index":${String(index)},"delta":${delta},"logprobs":null,"finish_reason":${finish}}]${this.#tail}`;
    return events;
  }
}
