import { z } from 'zod';
import { keyIn } from '../../http/receive-body.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import type { SaidItem } from '../../conversation/transcript.ts';
import type { MadeReply } from '../../model-api/make-reply.ts';
import {
  breakingAt,
  convertError,
  newId,
  typedEvent,
  type ModelApi,
  type Problem,
  type StreamSerializer,
} from '../../model-api/model-api.ts';
import { bodyReader, contentField, textOf } from '../../model-api/read-fields.ts';
import { serveApi } from '../../model-api/serve-api.ts';

const toolResult = z.looseObject({ type: z.literal('tool_result'), content: contentField.nullish() });
const block = z.union([toolResult, z.looseObject({ type: z.string(), text: z.string().optional() })]);
const message = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(block)], { error: 'expected a text or a list of blocks' }),
});

export const messagesApi: ModelApi = {
  idPrefix: 'msg_',
  hasDone: false,
  read: bodyReader(
    { max_tokens: z.int().min(1), messages: z.array(message).min(1), system: contentField.nullish() },
    ({ max_tokens: maxTokens, messages, system }) => ({
      said: messages.flatMap(itemsOf),
      instructions: system === undefined || system === null ? undefined : textOf(system),
      maxTokens,
      includesUsage: true,
      kept: undefined,
    }),
  ),
  error: errorBody,
  whole: (reply) =>
    JSON.stringify({
      ...messageHead(reply),
      content: [...thinkingOf(reply), ...[reply, ...(reply.others ?? [])].map(blockOf)],
      stop_reason: stopReasons[reply.finish],
      usage: usageOf(reply.usage),
    }),
  numbersEvents: false,
  stream: (reply) => new MessageSerializer(reply),
  broken: breakingAt('content'),
};

/** Anthropic's messages. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/v1/messages',
      meaning: "Anthropic's messages, streamed or not; the key may be sent as `x-api-key`",
      body: {
        model: 'agent-support',
        max_tokens: 300,
        messages: [{ role: 'user', content: 'Where is my order?' }],
        stream: false,
      },
      serve: (exchange, incoming) => serveApi(exchange, incoming, messagesApi),
    },
  },
  keyIn,
  models: {
    isFor: (headers) => headers['anthropic-version'] !== undefined,
    list: (ids, createdMs) => ({
      data: ids.map((id) => ({ type: 'model', id, display_name: id, created_at: new Date(createdMs).toISOString() })),
      has_more: false,
      first_id: ids[0] ?? null,
      last_id: ids.at(-1) ?? null,
    }),
    refuse: (refusal) => convertError(messagesApi, refusal),
  },
};

/** Returns the tool results, then the text, of one message. */
function itemsOf({ role, content }: z.infer<typeof message>): SaidItem[] {
  const from = role === 'user' ? 'user' : 'agent';
  if (typeof content === 'string') return [{ from, text: content }];
  const texts = content.filter((part) => part.type === 'text').map((part) => ('text' in part ? String(part.text) : ''));
  if (role === 'assistant') return [{ from, text: texts.join('') }];
  const results = content.filter(isResult).map((result): SaidItem => ({ from: 'tool', text: textOf(result.content) }));
  return texts.length === 0 && results.length > 0 ? results : [...results, { from, text: texts.join('') }];
}

const isResult = (part: z.infer<typeof block>): part is z.infer<typeof toolResult> => part.type === 'tool_result';

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Formats an error as Anthropic's API does; the data of an error event is the same. */
function errorBody({ status, message, code, model }: Problem): string {
  const error = { type: errorTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), message };
  if (code === 'insufficient_quota') error.type = 'billing_error';
  if (code === 'model_not_found') error.message = `model: ${model ?? ''}`;
  return JSON.stringify({ type: 'error', error, request_id: newId('req_') });
}

/** Returns the beginning of a message, without content and without an end. */
const messageHead = ({ id, request }: MadeReply) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: request.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

const usageOf = ({ input, output, cached = 0 }: MadeReply['usage']) => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
  service_tier: 'standard',
});

const thinkingOf = ({ reasoning, itemId }: MadeReply) =>
  reasoning.length === 0 ? [] : [{ type: 'thinking', thinking: reasoning.join(''), signature: itemId }];

function blockOf({ tokens, tool, itemId }: Pick<MadeReply, 'tokens' | 'tool' | 'itemId'>) {
  const text = tokens.join('');
  if (tool === undefined) return { type: 'text', text, citations: null };
  return { type: 'tool_use', id: `toolu_${itemId}`, name: tool, input: JSON.parse(text) as unknown };
}

class MessageSerializer implements StreamSerializer {
  readonly #reply: MadeReply;
  /** Index of the block with the answer. */
  #index: number;
  #calls = 0;

  constructor(reply: MadeReply) {
    this.#reply = reply;
    this.#index = reply.reasoning.length === 0 ? 0 : 1;
  }

  opening(): string[] {
    const usage = usageOf({ ...this.#reply.usage, output: 0 });
    const begin = event('message_start', { message: { ...messageHead(this.#reply), usage } });
    const thinking = { type: 'thinking', thinking: '', signature: '' };
    const block =
      this.#index === 0 ? this.#beginAnswer() : event('content_block_start', { index: 0, content_block: thinking });
    return [begin, block, event('ping', {})];
  }

  reasoning(token: string): string {
    return delta(0, `"thinking_delta","thinking":${JSON.stringify(token)}`);
  }

  turning(): string[] {
    if (this.#reply.reasoning.length === 0) return [];
    const signature = delta(0, `"signature_delta","signature":"${this.#reply.itemId}"`);
    return [signature, event('content_block_stop', { index: 0 }), this.#beginAnswer()];
  }

  answer(token: string): string {
    const text = JSON.stringify(token);
    return delta(
      this.#index,
      this.#reply.tool === undefined ? `"text_delta","text":${text}` : `"input_json_delta","partial_json":${text}`,
    );
  }

  next(): string[] {
    const ended = event('content_block_stop', { index: this.#index++ });
    this.#calls++;
    return [ended, this.#beginAnswer()];
  }

  closing(): string[] {
    const { finish, usage } = this.#reply;
    const stop = { stop_reason: stopReasons[finish], stop_sequence: null };
    return [
      event('content_block_stop', { index: this.#index }),
      event('message_delta', { delta: stop, usage: usageOf(usage) }),
      event('message_stop', {}),
    ];
  }

  failing(problem: Problem): string[] {
    return [typedEvent('error', errorBody(problem))];
  }

  #beginAnswer(): string {
    const { tool: name, itemId } = this.#reply.others?.[this.#calls - 1] ?? this.#reply;
    const block =
      name === undefined ? { type: 'text', text: '' } : { type: 'tool_use', id: `toolu_${itemId}`, name, input: {} };
    return event('content_block_start', { index: this.#index, content_block: block });
  }
}

const event = (type: string, fields: object): string => typedEvent(type, JSON.stringify({ type, ...fields }));

const delta = (index: number, rest: string): string =>
  typedEvent('content_block_delta', `{"type":"content_block_delta","index":${String(index)},"delta":{"type":${rest}}}`);
