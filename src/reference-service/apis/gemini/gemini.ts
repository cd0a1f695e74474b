import { z } from 'zod';
import { isObject } from '../../../base/is-object.ts';
import type { SaidItem } from '../../conversation/transcript.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import { keyIn } from '../../http/receive-body.ts';
import type { MadeReply, ToolCall } from '../../model-api/make-reply.ts';
import { breakingAt, type ModelApi, type Problem, type StreamSerializer } from '../../model-api/model-api.ts';
import { bodyReader } from '../../model-api/read-fields.ts';
import { serveApi } from '../../model-api/serve-api.ts';

const part = z.looseObject({
  text: z.string().optional(),
  functionResponse: z.looseObject({ response: z.unknown() }).optional(),
});
const content = z.looseObject({ role: z.enum(['user', 'model']).optional(), parts: z.array(part).min(1) });
const fields = {
  contents: z.array(content).min(1),
  systemInstruction: content.nullish(),
  generationConfig: z.looseObject({ maxOutputTokens: z.int().min(1).nullish() }).nullish(),
};

const read = bodyReader(fields, ({ contents, systemInstruction, generationConfig }) => ({
  said: contents.flatMap(itemsOf),
  instructions: systemInstruction?.parts.map(({ text = '' }) => text).join(''),
  maxTokens: generationConfig?.maxOutputTokens ?? Infinity,
  includesUsage: true,
  kept: undefined,
}));

const generation: ModelApi = {
  idPrefix: 'gemini-',
  hasDone: false,
  // The last part of the path is `MODEL:METHOD`.
  read: (body, { call = '' } = {}) => {
    const [model = '', method] = call.split(':');
    return read(isObject(body) ? { ...body, model, stream: method === 'streamGenerateContent' } : body);
  },
  error: (problem) => JSON.stringify(errorOf(problem)),
  whole: (reply) => JSON.stringify(response(reply, partsOf(reply), reply.finish)),
  numbersEvents: false,
  stream: (reply) => new ContentSerializer(reply),
  broken: breakingAt('candidates'),
};

/** The Gemini API. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/v1beta/models/:call',
      shownPath: '/v1beta/models/agent-support:generateContent',
      meaning: 'The Gemini API: `MODEL:generateContent`, or `MODEL:streamGenerateContent?alt=sse`',
      body: { contents: [{ role: 'user', parts: [{ text: 'Where is my order?' }] }] },
      serve: (exchange, incoming) => serveApi(exchange, incoming, generation),
    },
  },
  keyIn: (headers) => {
    const { 'x-goog-api-key': key } = headers;
    return typeof key === 'string' ? `Bearer ${key}` : keyIn(headers);
  },
};

function itemsOf({ role, parts }: z.infer<typeof content>): SaidItem[] {
  const text = parts.map((each) => each.text ?? '').join('');
  if (role === 'model') return [{ from: 'agent', text }];
  const results = parts.flatMap(({ functionResponse }): SaidItem[] =>
    functionResponse === undefined ? [] : [{ from: 'tool', text: JSON.stringify(functionResponse.response) }],
  );
  return text === '' && results.length > 0 ? results : [...results, { from: 'user', text }];
}

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const errorOf = ({ status: code, message }: Problem) => ({
  error: { code, message, status: statuses[code] ?? (code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT') },
});

const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP' } as const;

/** Tokens of thoughts are not part of the candidates'; zeros are omitted. */
const usageOf = ({ usage: { input, output, reasoning, cached = 0 } }: MadeReply) => ({
  promptTokenCount: input,
  candidatesTokenCount: output - reasoning,
  totalTokenCount: input + output,
  ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  ...(cached > 0 && { cachedContentTokenCount: cached }),
});

function response(reply: MadeReply, parts: readonly object[], finish?: MadeReply['finish']) {
  const candidate = { content: { role: 'model', parts }, index: 0 };
  return {
    candidates: [finish === undefined ? candidate : { ...candidate, finishReason: finishReasons[finish] }],
    ...(finish !== undefined && { usageMetadata: usageOf(reply) }),
    modelVersion: reply.request.model,
    responseId: reply.id,
  };
}

function partsOf({ reasoning, tokens, tool, itemId, others = [] }: MadeReply): object[] {
  const thoughts = reasoning.length === 0 ? [] : [{ text: reasoning.join(''), thought: true }];
  if (tool === undefined) return [...thoughts, { text: tokens.join('') }];
  return [...thoughts, ...[{ tool, itemId, tokens }, ...others].map(callPart)];
}

const callPart = ({ tool, itemId, tokens }: ToolCall) => ({
  functionCall: { id: itemId, name: tool, args: JSON.parse(tokens.join('')) as unknown },
});

class ContentSerializer implements StreamSerializer {
  readonly #reply: MadeReply;

  constructor(reply: MadeReply) {
    this.#reply = reply;
  }

  opening(): string[] {
    return [];
  }

  reasoning(token: string): string {
    return this.#event([{ text: token, thought: true }]);
  }

  turning(): string[] {
    return [];
  }

  /** Calls are sent whole, at the end. */
  answer(token: string): string {
    return this.#event([{ text: this.#reply.tool === undefined ? token : '' }]);
  }

  next(): string[] {
    return [];
  }

  closing(): string[] {
    const { tool, itemId, tokens, others = [], finish } = this.#reply;
    const calls = tool === undefined ? [] : [{ tool, itemId, tokens }, ...others];
    return [this.#event(calls.length === 0 ? [{ text: '' }] : calls.map(callPart), finish)];
  }

  failing(problem: Problem): string[] {
    return [`data: ${JSON.stringify(errorOf(problem))}\n\n`];
  }

  #event(parts: readonly object[], finish?: MadeReply['finish']): string {
    return `data: ${JSON.stringify(response(this.#reply, parts, finish))}\n\n`;
  }
}
