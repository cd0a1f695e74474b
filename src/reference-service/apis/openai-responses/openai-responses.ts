import { z } from 'zod';
import type { SaidItem } from '../../conversation/transcript.ts';
import { admit, isRefused } from '../../exchange/admit.ts';
import { sendCreation } from '../../exchange/apply-fault.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import type { ServerExchange } from '../../exchange/server-exchange.ts';
import { success, type Delivery } from '../../http/delivery.ts';
import { keyIn, type Incoming } from '../../http/receive-body.ts';
import type { KeptAt } from '../../model-api/make-reply.ts';
import {
  breakingAt,
  convertError,
  convertFault,
  isProblem,
  type ModelApi,
  type Problem,
} from '../../model-api/model-api.ts';
import { bodyReader, contentField, limitField, textOf } from '../../model-api/read-fields.ts';
import { conversationIdOf } from '../../model-api/recall.ts';
import { serveApi } from '../../model-api/serve-api.ts';
import { openaiError } from '../openai-chat/openai-error.ts';
import { ResponseSerializer, wholeResponse } from './write-response.ts';

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: contentField.nullish(),
  output: contentField.nullish(),
});
type Item = z.infer<typeof item>;

const keptFields = {
  previous_response_id: z.string().min(1).nullish(),
  conversation: z.union([z.string().min(1), z.looseObject({ id: z.string().min(1) })]).nullish(),
  store: z.boolean().nullish(),
};
const fields = {
  input: z.union([z.string(), z.array(item).min(1)], { error: 'expected a text or a list of items' }),
  instructions: z.string().nullish(),
  ...keptFields,
  max_output_tokens: limitField,
};

export const responsesApi: ModelApi = {
  idPrefix: 'resp_',
  hasDone: false,
  read: bodyReader(fields, ({ input, instructions, max_output_tokens, ...continued }) => {
    const kept = keptAt(continued);
    if (isProblem(kept)) return kept;
    const items = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input;
    const texts = items.filter(isInstruction).map(({ content }) => textOf(content));
    if (typeof instructions === 'string') texts.unshift(instructions);
    return {
      kept,
      said: items.flatMap(saidIn),
      instructions: texts.length === 0 ? undefined : texts.join('\n'),
      maxTokens: max_output_tokens ?? Infinity,
      includesUsage: true,
    };
  }),
  error: openaiError,
  whole: (reply) => JSON.stringify(wholeResponse(reply)),
  numbersEvents: true,
  stream: (reply) => new ResponseSerializer(reply),
  broken: breakingAt('output'),
};

/** OpenAI's responses. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/v1/responses',
      meaning:
        "OpenAI's responses, streamed or not; `previous_response_id` or `conversation` names the conversation to continue",
      body: { model: 'agent-support', input: 'Where is my order?', stream: false },
      serve: (exchange, incoming) => serveApi(exchange, incoming, responsesApi),
    },
    create: {
      path: '/v1/conversations',
      meaning: 'Creates a conversation for responses: its id in `id`',
      body: {},
      serve: serveConversation,
    },
  },
  keyIn,
};

function keptAt({
  previous_response_id,
  conversation,
  store,
}: z.output<z.ZodObject<typeof keptFields>>): KeptAt | Problem {
  const conversationId = typeof conversation === 'string' ? conversation : (conversation?.id ?? undefined);
  const responseId = previous_response_id ?? undefined;
  if (responseId !== undefined && conversationId !== undefined)
    return { status: 400, message: 'set previous_response_id or conversation, not both', param: 'conversation' };
  return { responseId, conversationId, isStored: store !== false };
}

const isInstruction = ({ role }: Item): boolean => role === 'system' || role === 'developer';

function saidIn({ type, role, content, output }: Item): SaidItem[] {
  if (type === 'function_call_output') return [{ from: 'tool', text: textOf(output) }];
  if (role === 'user') return [{ from: 'user', text: textOf(content) }];
  return role === 'assistant' ? [{ from: 'agent', text: textOf(content) }] : [];
}

/** Creates a conversation, which any agent may have. The order of checks: key, body; then faults; then the conversation. */
function serveConversation(exchange: ServerExchange, incoming: Incoming): void | Promise<void> {
  const { context } = exchange;
  const admitted = admit(exchange, incoming);
  if (isRefused(admitted)) return exchange.send(convertError(responsesApi, admitted));
  const create = (): Delivery => {
    const id = conversationIdOf(context.sessions.create('').id);
    const created_at = Math.floor(context.clock.wallNow() / 1000);
    return success(200, JSON.stringify({ id, object: 'conversation', created_at, metadata: {} }));
  };
  return sendCreation(exchange, create, breakingAt('id'), (effect, early) => convertFault(responsesApi, effect, early));
}
