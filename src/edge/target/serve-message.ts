import { randomUUID } from 'node:crypto';
import type { FaultEffect } from '../../scenario/embedded-faults.ts';
import { errorTexts, type MessageRequest } from '../../wire/api.ts';
import { admit, isRefusal, type Incoming } from './admit.ts';
import { failure, failures, type Delivery } from './delivery.ts';
import type { Agent } from './directory.ts';
import type { Exchange } from './exchange.ts';
import { giveSpoiled, inPlaceOfWork } from './inflict.ts';
import { messageBody } from './message-body.ts';
import type { Answer } from './provider.ts';
import { readMessage } from './read-body.ts';
import { elapsedAt, type ServiceRoom } from './service-room.ts';
import type { StoredSession } from './session-store.ts';
import { timestampOf } from './timestamp.ts';

/** Serves one message. The order of checks: key, body, agent, chat enabled, session; then faults; then the work. */
export function serveMessage(room: ServiceRoom, exchange: Exchange, incoming: Incoming): void | Promise<void> {
  const asked = check(room, exchange, incoming);
  if (isRefusal(asked)) return exchange.give(asked);
  const effect = room.faults.strike('message', elapsedAt(room, exchange.arrivedAt));
  const early = inPlaceOfWork(effect, room.clock);
  if (early !== undefined) return exchange.give(early);
  const { agent, session, request } = asked;
  room.sessions.touch(session);
  if (!session.lane.isFree) exchange.watch();
  const createdAt = timestampOf(room.clock.wallNow());
  session.lane.run(() => exchange.run(() => reply({ room, exchange, agent, session, request, effect, createdAt })));
}

interface Asked {
  agent: Agent;
  session: StoredSession;
  request: Required<MessageRequest>;
}

interface Work extends Asked {
  room: ServiceRoom;
  exchange: Exchange;
  effect: FaultEffect | undefined;
  createdAt: string;
}

function check(room: ServiceRoom, exchange: Exchange, incoming: Incoming): Asked | Delivery {
  const caller = admit(room, incoming, exchange.arrivedAt);
  if (isRefusal(caller)) return caller;
  const request = readMessage(incoming.body);
  if (isRefusal(request)) return request;
  const agent = room.directory.agent(request.agentId, caller);
  if (isRefusal(agent)) return agent;
  const session = room.sessions.find(request.sessionId);
  return session?.agentId === agent.id ? { agent, session, request } : failures.sessionNotFound;
}

function reply(work: Work): void | Promise<void> {
  const { room, agent, session, request, exchange } = work;
  const briefing = agent.brief(request.variableValues);
  const answer = room.provider.answer({ briefing, earlier: session.conversation, message: request.message });
  if (!(answer instanceof Promise)) return finish(work, answer);
  exchange.watch();
  return answer.then((made) => finish(work, made));
}

/** The turn is remembered before the reply goes out: what breaks on the way to the client has happened all the same. */
function finish(work: Work, answer: Answer): void | Promise<void> {
  const { room, exchange, effect } = work;
  if (answer.kind === 'failed') return exchange.give(failure(answer.status, errorTexts.provider, answer.retryAfter));
  return giveSpoiled(effect, remember(work, answer.text), { exchange, clock: room.clock });
}

function remember({ room, session, request, createdAt }: Work, response: string): Delivery {
  room.sessions.addTurn(session, { message: request.message, response, createdAt });
  const updatedAt = timestampOf(room.clock.wallNow());
  const body = messageBody({ session, response, chatId: randomUUID(), createdAt, updatedAt }, room.options);
  return { outcome: 'ok', status: 200, body, retryAfter: undefined };
}
