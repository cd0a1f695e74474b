import { admit, isRefused } from '../../exchange/admit.ts';
import type { Delivery } from '../../http/delivery.ts';
import type { Agent } from '../../exchange/directory.ts';
import type { Incoming } from '../../http/incoming.ts';
import type { ServerExchange } from '../../exchange/server-exchange.ts';
import { giveSpoiled, inPlaceOfWork } from '../../exchange/apply-fault.ts';
import { readCreation } from '../../exchange/read-body.ts';
import { elapsedAt, type ServiceContext } from '../../exchange/service-context.ts';
import { timestampOf } from '../../exchange/timestamp.ts';

/** Creates one session: key, body, agent, chat enabled; then faults; then the session. */
export function serveCreation(
  room: ServiceContext,
  exchange: ServerExchange,
  incoming: Incoming,
): void | Promise<void> {
  const agent = check(room, exchange, incoming);
  if (isRefused(agent)) return exchange.give(agent);
  const effect = room.faults.strike('create', elapsedAt(room, exchange.arrivedAt));
  const early = inPlaceOfWork(effect, room.clock);
  if (early !== undefined) return exchange.give(early);
  return giveSpoiled(effect, create(room, agent), { exchange, clock: room.clock });
}

function check(room: ServiceContext, exchange: ServerExchange, incoming: Incoming): Agent | Delivery {
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
