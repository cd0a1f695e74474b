import { isObject } from '../../../base/is-object.ts';
import { jsonObjectIn } from '../../../base/json.ts';
import type { FaultEffect } from '../../../scenario/embedded-faults.ts';
import { admit, isRefused } from '../../exchange/admit.ts';
import { inPlaceOfWork, sendUnderFault } from '../../exchange/apply-fault.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import type { ServerExchange } from '../../exchange/server-exchange.ts';
import { success, type Delivery } from '../../http/delivery.ts';
import { keyIn, type Incoming } from '../../http/receive-body.ts';
import { convertError, convertFault, type ModelApi } from '../../model-api/model-api.ts';
import { serveApi } from '../../model-api/serve-api.ts';
import { responsesApi } from '../openai-responses/openai-responses.ts';
import { ResponseSerializer } from '../openai-responses/write-response.ts';

const overSocket: ModelApi = {
  ...responsesApi,
  read: (body) =>
    isObject(body) && body['type'] === 'response.create'
      ? responsesApi.read({ ...body, stream: true })
      : { status: 400, message: 'type: expected response.create', param: 'type' },
  stream: (reply) => new FrameSerializer(reply),
};

/** OpenAI's responses over WebSocket: every `response.create` is answered by the events of a streamed response. */
export const servedApi: ServedApi = {
  endpoints: {},
  keyIn,
  socket: {
    path: '/v1/responses',
    meaning:
      'WebSocket: `response.create` with the fields of `POST /v1/responses`, answered by its events as frames, one response at a time; with `store: false` the socket keeps the latest response',
    endpoints: {
      create: { serve: serveUpgrade },
      message: { serve: (exchange, incoming) => serveApi(exchange, incoming, overSocket) },
    },
    read: (body) => ({ kind: 'message', id: undefined, body }),
    frame,
    isSequential: true,
    expired: {
      outcome: 'bad_request',
      status: 400,
      retryAfter: undefined,
      body: JSON.stringify({
        error: {
          message: 'The connection has reached its maximum age. Create a new websocket connection to continue.',
          type: 'invalid_request_error',
          param: null,
          code: 'websocket_connection_limit_reached',
        },
      }),
    },
  },
};

/** On a socket, an `error` frame ends the reply: `response.failed` after it would be taken for a part of the next one. */
class FrameSerializer extends ResponseSerializer {
  override failing(...given: Parameters<ResponseSerializer['failing']>): string[] {
    return super.failing(...given).slice(0, 1);
  }
}

/** Accepts an upgrade. The order of checks: key, its rate; then faults that a client can see without a first frame. */
function serveUpgrade(exchange: ServerExchange, incoming: Incoming): void | Promise<void> {
  const { context } = exchange;
  const admitted = admit(exchange, incoming);
  if (isRefused(admitted)) return exchange.send(convertError(responsesApi, admitted));
  const effect = context.faults.strike('create', exchange.elapsed, isBeforeFrames);
  const early = inPlaceOfWork(effect, context.clock);
  if (early !== undefined) return exchange.send(convertFault(responsesApi, effect, early));
  return sendUnderFault(exchange, effect, success(101, ''), responsesApi.broken);
}

const isBeforeFrames = ({ does }: FaultEffect): boolean => does === 'answer' || does === 'end' || does === 'hold';

function frame({ outcome, status, body, retryAfter }: Delivery): string {
  if (outcome === 'malformed') return body;
  if (status === 200) return `{"type":"response.completed","response":${body}}`;
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } };
  return JSON.stringify({ type: 'error', status, ...jsonObjectIn(body), ...headers });
}
