import { messagesPath, sessionsPath } from '../../../protocol/chat-messaging/api.ts';
import { admit, isRefused } from '../../exchange/admit.ts';
import { giveSpoiled, inPlaceOfWork } from '../../exchange/apply-fault.ts';
import type { Agent } from '../../exchange/directory.ts';
import type { AskedExchange, ServedApi } from '../../exchange/served-api.ts';
import { elapsedAt, timestampOf, type ServiceContext } from '../../exchange/service-context.ts';
import type { Delivery } from '../../http/delivery.ts';
import { readCreation, readMessage } from './read-request.ts';
import { breakMessaging, serveMessage } from './serve-message.ts';

/** The API that agents of this kind have of their own. */
export const servedApi: ServedApi = {
  endpoints: {
    create: {
      path: sessionsPath,
      meaning: 'Creates a session: 201 with its id in `data.sessionId`; needs the key as `Authorization: Bearer KEY`',
      body: { agentId: 'agent-support' },
      serve: serveCreation,
    },
    message: {
      path: messagesPath,
      meaning: 'Answers a message: 200 with the text in `data.response`; needs the key',
      body: {
        agentId: 'agent-support',
        sessionId: 'ID',
        message: 'Where is my order?',
        variableValues: { customerName: 'Ada', orderNumber: 'ORD-1' },
      },
      serve: serveMessage,
    },
  },
  keyIn: ({ authorization }) => authorization,
  sessionIn: (body) => {
    const asked = readMessage(body);
    return isRefused(asked) ? undefined : asked.sessionId;
  },
};

/** Creates one session: key, body, agent, chat enabled; then faults; then the session. */
function serveCreation(asked: AskedExchange): void | Promise<void> {
  const { room, exchange } = asked;
  const agent = check(asked);
  if (isRefused(agent)) return exchange.give(agent);
  const effect = room.faults.strike('create', elapsedAt(room, exchange.arrivedAt));
  const early = inPlaceOfWork(effect, room.clock);
  if (early !== undefined) return exchange.give(early);
  return giveSpoiled(effect, create(room, agent), { exchange, clock: room.clock, broken: breakMessaging });
}

function check({ room, exchange, incoming }: AskedExchange): Agent | Delivery {
  const caller = admit(room, incoming, exchange.arrivedAt);
  if (isRefused(caller)) return caller;
  const asked = readCreation(incoming.body);
  return isRefused(asked) ? asked : room.directory.agent(asked.agentId, caller);
}

function create(room: ServiceContext, agent: Agent): Delivery {
  const { id: sessionId } = room.sessions.create(agent.id);
  const createdAt = timestampOf(room.clock.wallNow());
  const body = JSON.stringify({ success: true, data: { sessionId, agentId: agent.id, createdAt } });
  return { outcome: 'ok', status: 201, body, retryAfter: undefined };
}
