import { z } from 'zod';
import { isObject } from '../../../base/is-object.ts';
import { embeddedDefaults } from '../../../scenario/embedded.ts';
import type { SaidItem } from '../../conversation/transcript.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import { keyIn } from '../../http/receive-body.ts';
import type { MadeReply, ToolCall } from '../../model-api/make-reply.ts';
import { breakingAt, type ModelApi, type Problem, type StreamSerializer } from '../../model-api/model-api.ts';
import { bodyReader } from '../../model-api/read-fields.ts';
import { serveApi } from '../../model-api/serve-api.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional(), output: z.unknown().optional() });
const message = z.looseObject({ id: z.string(), role: z.enum(['system', 'user', 'assistant']), parts: z.array(part) });

const read = bodyReader({ id: z.string().min(1), messages: z.array(message).min(1) }, ({ messages }) => {
  const instructions = messages.filter(({ role }) => role === 'system').map(textOf);
  return {
    said: messages.filter(({ role }) => role !== 'system').flatMap(itemsOf),
    instructions: instructions.length === 0 ? undefined : instructions.join('\n'),
    maxTokens: Infinity,
    includesUsage: true,
    kept: undefined,
  };
});

const uiMessages: ModelApi = {
  idPrefix: 'msg-',
  hasDone: true,
  // Requests of `useChat` name no agent, and every reply is streamed.
  read: (body) => read(isObject(body) ? { model: embeddedDefaults.agentId, ...body, stream: true } : body),
  error: ({ message: error }) => JSON.stringify({ error }),
  whole: (reply) => JSON.stringify({ type: 'finish', messageMetadata: metadataOf(reply) }),
  numbersEvents: false,
  stream: (reply) => new UiMessageSerializer(reply),
  broken: breakingAt('type'),
};

/** UI message streams of the AI SDK. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/api/chat',
      meaning: 'UI message streams of the AI SDK, as `useChat` requests them; `model` may name the agent',
      body: {
        id: 'chat-1',
        messages: [{ id: 'message-1', role: 'user', parts: [{ type: 'text', text: 'Where is my order?' }] }],
        trigger: 'submit-message',
      },
      serve: (exchange, incoming) => serveApi(exchange, incoming, uiMessages),
    },
  },
  keyIn,
  streamForm: { head: { 'x-vercel-ai-ui-message-stream': 'v1' }, encoding: 'utf8' },
};

function textOf({ parts }: z.infer<typeof message>): string {
  return parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('');
}

/** Returns the text of a message, then the outputs of the tools that it called. */
function itemsOf(given: z.infer<typeof message>): SaidItem[] {
  const outputs = given.parts.flatMap(({ output }): SaidItem[] =>
    output === undefined ? [] : [{ from: 'tool', text: typeof output === 'string' ? output : JSON.stringify(output) }],
  );
  return [{ from: given.role === 'user' ? 'user' : 'agent', text: textOf(given) }, ...outputs];
}

/** The AI SDK leaves the metadata of messages to the application: here the model and the SDK's own form of usage. */
const metadataOf = ({ request, usage: { input, output, reasoning, cached = 0 } }: MadeReply) => ({
  model: request.model,
  totalUsage: {
    inputTokens: input,
    inputTokenDetails: { noCacheTokens: input - cached, cacheReadTokens: cached, cacheWriteTokens: 0 },
    outputTokens: output,
    outputTokenDetails: { textTokens: output - reasoning, reasoningTokens: reasoning },
    totalTokens: input + output,
  },
});

class UiMessageSerializer implements StreamSerializer {
  readonly #reply: MadeReply;
  #call: ToolCall | undefined;
  #calls = 0;

  constructor(reply: MadeReply) {
    this.#reply = reply;
  }

  opening(): string[] {
    const begin = [event({ type: 'start', messageId: this.#reply.id }), event({ type: 'start-step' })];
    if (this.#reply.reasoning.length === 0) return [...begin, this.#beginAnswer()];
    return [...begin, event({ type: 'reasoning-start', id: 'reasoning-1' })];
  }

  reasoning(token: string): string {
    return event({ type: 'reasoning-delta', id: 'reasoning-1', delta: token });
  }

  turning(): string[] {
    if (this.#reply.reasoning.length === 0) return [];
    return [event({ type: 'reasoning-end', id: 'reasoning-1' }), this.#beginAnswer()];
  }

  answer(token: string): string {
    if (this.#call === undefined)
      return `data: {"type":"text-delta","id":"text-1","delta":${JSON.stringify(token)}}\n\n`;
    return event({ type: 'tool-input-delta', toolCallId: callId(this.#call), inputTextDelta: token });
  }

  next(): string[] {
    const ended = this.#endAnswer();
    this.#calls++;
    return [ended, this.#beginAnswer()];
  }

  closing(): string[] {
    const { finish } = this.#reply;
    const reason = finish === 'tool_calls' ? 'tool-calls' : finish;
    return [
      this.#endAnswer(),
      event({ type: 'finish-step' }),
      event({ type: 'finish', finishReason: reason, messageMetadata: metadataOf(this.#reply) }),
      'data: [DONE]\n\n',
    ];
  }

  failing({ message: errorText }: Problem): string[] {
    return [event({ type: 'error', errorText }), 'data: [DONE]\n\n'];
  }

  #beginAnswer(): string {
    const { tool, itemId, tokens, others = [] } = this.#reply;
    const call = others[this.#calls - 1] ?? (tool === undefined ? undefined : { tool, itemId, tokens });
    this.#call = call;
    if (call === undefined) return event({ type: 'text-start', id: 'text-1' });
    return event({ type: 'tool-input-start', toolCallId: callId(call), toolName: call.tool });
  }

  #endAnswer(): string {
    if (this.#call === undefined) return event({ type: 'text-end', id: 'text-1' });
    const input: unknown = JSON.parse(this.#call.tokens.join(''));
    return event({ type: 'tool-input-available', toolCallId: callId(this.#call), toolName: this.#call.tool, input });
  }
}

const callId = ({ itemId }: ToolCall): string => `call_${itemId}`;

const event = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`;
