import { z } from 'zod';
import { jsonObjectIn } from '../../../base/json.ts';
import { admit, isRefused } from '../../exchange/admit.ts';
import { errorIn, sendCreation } from '../../exchange/apply-fault.ts';
import type { ServedSocket } from '../../exchange/served-api.ts';
import type { ServerExchange } from '../../exchange/server-exchange.ts';
import { failures, success, type Delivery } from '../../http/delivery.ts';
import type { Incoming } from '../../http/receive-body.ts';
import type { MadeReply } from '../../model-api/make-reply.ts';
import { classOfProblem, type ModelApi, type Problem, type StreamSerializer } from '../../model-api/model-api.ts';
import { bodyReader } from '../../model-api/read-fields.ts';
import { conversationIdOf } from '../../model-api/recall.ts';
import { serveApi } from '../../model-api/serve-api.ts';

/** The example protocol of docs/guides/websocket.md. */
export const exampleSocket: ServedSocket = {
  path: '/v1/socket',
  meaning:
    "WebSocket: `{ type: 'message', id, text, variables }`, answered by frames `typing`, `delta` and `done`, or `error`, after a first frame `ready` with `sessionId`; `?session=ID` continues a session, `agentId=ID` selects the agent",
  endpoints: {
    create: { serve: serveUpgrade },
    message: { serve: (exchange, incoming) => serveApi(exchange, incoming, exampleApi) },
  },
  read: (text, greeting) => {
    const frame = jsonObjectIn(text);
    if (frame?.['type'] === 'cancel') return { kind: 'cancel', id: frame['id'] };
    const { sessionId, agentId: model } = jsonObjectIn(greeting) ?? {};
    const body = frame === undefined ? text : JSON.stringify({ ...frame, sessionId, model, stream: true });
    return { kind: 'message', id: frame?.['id'], body };
  },
  frame: ({ outcome, status, body, retryAfter }, id) =>
    status === 200
      ? body
      : JSON.stringify({ type: 'error', id, code: outcome, retryAfter: waitOf(retryAfter), message: errorIn(body) }),
  isSequential: false,
};

/** Opens a session, or continues one. The order of checks: key, its rate, agent, chat enabled; then faults; then the session. */
function serveUpgrade(exchange: ServerExchange, incoming: Incoming): void | Promise<void> {
  const { sessions, directory } = exchange.context;
  const admitted = admit(exchange, incoming);
  if (isRefused(admitted)) return exchange.send(admitted);
  const { caller } = admitted;
  const { agentId, session = '' } = incoming.params;
  const [first = failures.agentNotFound] = directory.agentsOf(caller);
  const agent = agentId === undefined ? first : directory.agent(agentId, caller);
  if (isRefused(agent)) return exchange.send(agent);
  const open = (): Delivery => {
    const earlier = sessions.find(session);
    const { id: sessionId } = earlier?.agentId === agent.id ? earlier : sessions.create(agent.id);
    return success(101, JSON.stringify({ type: 'ready', sessionId, agentId: agent.id }));
  };
  return sendCreation(exchange, open, () => ({ type: 'ready' }));
}

const exampleApi: ModelApi = {
  idPrefix: 'reply_',
  hasDone: false,
  numbersEvents: false,
  read: bodyReader(
    {
      type: z.literal('message'),
      id: z.unknown(),
      text: z.string().min(1),
      variables: z.record(z.string(), z.unknown()).nullish(),
      sessionId: z.string(),
    },
    ({ id, text, variables, sessionId }) => ({
      instructions: undefined,
      values: variables ?? {},
      said: [{ from: 'user', text }],
      maxTokens: Infinity,
      includesUsage: true,
      kept: { responseId: undefined, conversationId: conversationIdOf(sessionId), isStored: true },
      requestId: id,
    }),
  ),
  error: ({ message }) => JSON.stringify({ success: false, error: message }),
  whole: (reply) => JSON.stringify({ ...doneFrame(reply), text: reply.tokens.join('') }),
  stream: (reply) => new ExampleSerializer(reply),
  foreign: () => ['delta', 'done'].map((type) => event({ type, id: 'another', text: 'Not for you.' })),
  // The end of a reply without text, whatever is to be broken.
  broken: (_breaks, _operation, body) => ({ ...jsonObjectIn(body), text: undefined }),
};

const event = (frame: object): string => `data: ${JSON.stringify(frame)}\n\n`;

const doneFrame = ({ request, usage: { input: inputTokens, output: outputTokens } }: MadeReply): object => ({
  type: 'done',
  id: request.requestId,
  usage: { inputTokens, outputTokens },
});

class ExampleSerializer implements StreamSerializer {
  readonly #reply: MadeReply;

  constructor(reply: MadeReply) {
    this.#reply = reply;
  }

  opening(): string[] {
    return [this.#event('typing', {})];
  }

  reasoning(text: string): string {
    return this.#event('reasoning', { text });
  }

  turning(): string[] {
    return [];
  }

  answer(text: string): string {
    return this.#event('delta', { text });
  }

  next(): string[] {
    return [];
  }

  closing(): string[] {
    return [event(doneFrame(this.#reply))];
  }

  failing(problem: Problem): string[] {
    return [this.#event('error', { code: classOfProblem(problem), message: problem.message })];
  }

  #event(type: string, fields: object): string {
    return event({ type, id: this.#reply.request.requestId, ...fields });
  }
}

/** Returns a wait as a number of seconds, if it is one. */
function waitOf(retryAfter: string | undefined): number | string | undefined {
  const seconds = Number(retryAfter);
  return retryAfter === undefined || Number.isNaN(seconds) ? retryAfter : seconds;
}
