import { admit, isRefused, readObject } from '../../exchange/admit.ts';
import { giveSpoiled, inPlaceOfWork } from '../../exchange/apply-fault.ts';
import type { AskedExchange, ServedApi } from '../../exchange/served-api.ts';
import { elapsedAt, type ServiceContext } from '../../exchange/service-context.ts';
import { failures, type Delivery } from '../../http/delivery.ts';
import { keyIn } from '../../http/receive-body.ts';
import { breakingAt, worded, wordedFault, type ModelApi } from '../../model-api/model-api.ts';
import { conversationIdOf, keptSessionIn } from '../../model-api/recall.ts';
import { serveApi } from '../../model-api/serve-api.ts';
import { openaiError } from '../openai-chat/openai-error.ts';
import { readResponseRequest } from './read-response-request.ts';
import { ResponsesTelling, wholeResponse } from './write-response.ts';

const api: ModelApi = {
  idPrefix: 'resp_',
  hasDone: false,
  read: readResponseRequest,
  error: openaiError,
  whole: (reply) => JSON.stringify(wholeResponse(reply)),
  numbersEvents: true,
  tell: (reply) => new ResponsesTelling(reply),
  broken: breakingAt('output'),
};

/** OpenAI's responses. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/v1/responses',
      meaning:
        "OpenAI's responses, whole or streamed; `previous_response_id` or `conversation` says what they continue",
      body: { model: 'agent-support', input: 'Where is my order?', stream: false },
      serve: (asked) => serveApi(asked, api),
    },
    create: {
      path: '/v1/conversations',
      meaning: 'Creates a conversation for responses: its id in `id`',
      body: {},
      serve: serveConversation,
    },
  },
  keyIn,
  sessionIn: keptSessionIn,
};

/** Creates a conversation: key, body; then faults; then the conversation, which any agent may have. */
function serveConversation(asked: AskedExchange): void | Promise<void> {
  const { room, exchange } = asked;
  const refused = check(asked);
  if (refused !== undefined) return exchange.give(worded(api, refused));
  const effect = room.faults.strike('create', elapsedAt(room, exchange.arrivedAt));
  const early = inPlaceOfWork(effect, room.clock);
  if (early !== undefined) return exchange.give(wordedFault(api, effect, early));
  return giveSpoiled(effect, create(room), { exchange, clock: room.clock, broken: breakingAt('id') });
}

function check({ room, exchange, incoming }: AskedExchange): Delivery | undefined {
  const caller = admit(room, incoming, exchange.arrivedAt);
  if (isRefused(caller)) return caller;
  if (incoming.body === undefined) return failures.tooLarge;
  return readObject(incoming.body) === undefined ? failures.notJson : undefined;
}

function create(room: ServiceContext): Delivery {
  const id = conversationIdOf(room.sessions.create('').id);
  const created_at = Math.floor(room.clock.wallNow() / 1000);
  const body = JSON.stringify({ id, object: 'conversation', created_at, metadata: {} });
  return { outcome: 'ok', status: 200, body, retryAfter: undefined };
}
