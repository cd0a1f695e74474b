import { z } from 'zod';
import { eventStreamCodec } from '../../../base/event-stream-codec.ts';
import { isObject } from '../../../base/is-object.ts';
import type { SaidItem } from '../../conversation/transcript.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import { keyIn } from '../../http/receive-body.ts';
import type { MadeReply, ToolCall } from '../../model-api/make-reply.ts';
import { breakingAt, type ModelApi, type Problem, type StreamSerializer } from '../../model-api/model-api.ts';
import { bodyReader } from '../../model-api/read-fields.ts';
import { serveApi } from '../../model-api/serve-api.ts';

const texts = z.array(z.looseObject({ text: z.string().optional() }));
const block = z.looseObject({ text: z.string().optional(), toolResult: z.looseObject({ content: texts }).optional() });
const message = z.looseObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) });
const fields = {
  messages: z.array(message).min(1),
  system: texts.nullish(),
  inferenceConfig: z.looseObject({ maxTokens: z.int().min(1).nullish() }).nullish(),
  toolConfig: z.looseObject({ tools: z.array(z.unknown()) }).nullish(),
};

const read = bodyReader(fields, ({ messages, system, inferenceConfig }) => ({
  said: messages.flatMap(itemsOf),
  instructions: system?.map(({ text = '' }) => text).join('\n'),
  maxTokens: inferenceConfig?.maxTokens ?? Infinity,
  includesUsage: true,
  kept: undefined,
}));

const converse: ModelApi = {
  idPrefix: 'converse-',
  hasDone: false,
  read: (body, { model = '', kind } = {}) => {
    if (!isObject(body)) return read(body);
    const { toolConfig } = body;
    const tools = isObject(toolConfig) ? toolConfig['tools'] : undefined;
    return read({ ...body, model, stream: kind === 'converse-stream', tools });
  },
  error: ({ message: text }) => JSON.stringify({ message: text }),
  whole: (reply) =>
    JSON.stringify({
      metrics: { latencyMs: 1 },
      output: { message: { role: 'assistant', content: contentOf(reply) } },
      stopReason: stopReasons[reply.finish],
      usage: usageOf(reply),
    }),
  numbersEvents: false,
  stream: (reply) => new ConverseSerializer(reply),
  broken: breakingAt('output'),
};

/** The Converse API of Amazon Bedrock. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/model/:model/:kind(^converse$|^converse-stream$)',
      shownPath: '/model/agent-support/converse',
      meaning: "Amazon Bedrock's Converse API: `/converse` or `/converse-stream`; the path names the model",
      body: { messages: [{ role: 'user', content: [{ text: 'Where is my order?' }] }] },
      serve: (exchange, incoming) => serveApi(exchange, incoming, converse),
    },
  },
  keyIn,
  streamForm: { head: { 'content-type': 'application/vnd.amazon.eventstream' }, encoding: 'latin1' },
};

function itemsOf({ role, content }: z.infer<typeof message>): SaidItem[] {
  const text = content.map((part) => part.text ?? '').join('');
  if (role === 'assistant') return [{ from: 'agent', text }];
  const results = content.flatMap(({ toolResult }): SaidItem[] =>
    toolResult === undefined
      ? []
      : [{ from: 'tool', text: toolResult.content.map((part) => part.text ?? '').join('') }],
  );
  return text === '' && results.length > 0 ? results : [...results, { from: 'user', text }];
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

const usageOf = ({ usage: { input, output, cached = 0 } }: MadeReply) => ({
  inputTokens: input - cached,
  outputTokens: output,
  totalTokens: input + output,
  cacheReadInputTokens: cached,
  cacheWriteInputTokens: 0,
});

function contentOf({ reasoning, tokens, tool, itemId, others = [] }: MadeReply): object[] {
  const thought =
    reasoning.length === 0
      ? []
      : [{ reasoningContent: { reasoningText: { text: reasoning.join(''), signature: itemId } } }];
  if (tool === undefined) return [...thought, { text: tokens.join('') }];
  return [...thought, ...[{ tool, itemId, tokens }, ...others].map(toolBlock)];
}

const toolBlock = ({ tool, itemId, tokens }: ToolCall) => ({
  toolUse: { toolUseId: `tooluse_${itemId}`, name: tool, input: JSON.parse(tokens.join('')) as unknown },
});

/** Names of the exceptions in a stream. */
const exceptions: Readonly<Record<number, string>> = {
  400: 'validationException',
  429: 'throttlingException',
  503: 'serviceUnavailableException',
};

class ConverseSerializer implements StreamSerializer {
  readonly #reply: MadeReply;
  #index = 0;
  #calls = 0;

  constructor(reply: MadeReply) {
    this.#reply = reply;
  }

  opening(): string[] {
    const begin = frame('messageStart', { role: 'assistant' });
    return this.#reply.reasoning.length === 0 ? [begin, ...this.#beginAnswer()] : [begin];
  }

  reasoning(token: string): string {
    return this.#delta({ reasoningContent: { text: token } });
  }

  turning(): string[] {
    if (this.#reply.reasoning.length === 0) return [];
    return [this.#endBlock(), ...this.#beginAnswer()];
  }

  answer(token: string): string {
    return this.#delta(this.#reply.tool === undefined ? { text: token } : { toolUse: { input: token } });
  }

  next(): string[] {
    const ended = this.#endBlock();
    this.#calls++;
    return [ended, ...this.#beginAnswer()];
  }

  closing(): string[] {
    return [
      this.#endBlock(),
      frame('messageStop', { stopReason: stopReasons[this.#reply.finish] }),
      frame('metadata', { usage: usageOf(this.#reply), metrics: { latencyMs: 1 } }),
    ];
  }

  failing({ status, message: text }: Problem): string[] {
    return [frame(exceptions[status] ?? 'internalServerException', { message: text }, 'exception')];
  }

  /** A text has no start. */
  #beginAnswer(): string[] {
    const { tool, itemId, others = [] } = this.#reply;
    const call = others[this.#calls - 1] ?? { tool, itemId };
    if (call.tool === undefined) return [];
    const start = { toolUse: { toolUseId: `tooluse_${call.itemId}`, name: call.tool } };
    return [frame('contentBlockStart', { contentBlockIndex: this.#index, start })];
  }

  #endBlock(): string {
    return frame('contentBlockStop', { contentBlockIndex: this.#index++ });
  }

  #delta(delta: object): string {
    return frame('contentBlockDelta', { contentBlockIndex: this.#index, delta });
  }
}

/** Returns one frame, each byte as a character. */
function frame(type: string, payload: object, kind: 'event' | 'exception' = 'event'): string {
  const text = (value: string) => ({ type: 'string' as const, value });
  const headers = {
    [`:${kind}-type`]: text(type),
    ':content-type': text('application/json'),
    ':message-type': text(kind),
  };
  return Buffer.from(eventStreamCodec().encode({ headers, body: Buffer.from(JSON.stringify(payload)) })).toString(
    'latin1',
  );
}
