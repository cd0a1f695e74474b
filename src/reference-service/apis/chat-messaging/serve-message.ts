import { randomUUID } from 'node:crypto';
import { between } from '../../../base/time.ts';
import type { FaultEffect } from '../../../scenario/embedded-faults.ts';
import type { SabotageKind } from '../../../scenario/embedded-sabotage.ts';
import { errorTexts, type MessageRequest } from '../../../protocol/chat-messaging/api.ts';
import { admit, isRefused } from '../../exchange/admit.ts';
import { readMessage } from './read-request.ts';
import { failure, failures, type Delivery } from '../../http/delivery.ts';
import type { Agent } from '../../exchange/directory.ts';
import type { AskedExchange } from '../../exchange/served-api.ts';
import { elapsedAt, timestampOf, type ServiceContext } from '../../exchange/service-context.ts';
import type { ServerExchange } from '../../exchange/server-exchange.ts';
import { giveSpoiled, inPlaceOfWork, type BreakBody } from '../../exchange/apply-fault.ts';
import type { Briefing } from '../../conversation/instructions.ts';
import type { ProviderReply } from '../../conversation/provider.ts';
import { copiesUnder, type SabotagedTurn } from '../../faults/sabotage.ts';
import type { StoredSession } from '../../conversation/session-store.ts';

/** Serves one message. The order of checks: key, body, agent, chat enabled, session; then faults; then the work. */
export function serveMessage(given: AskedExchange): void | Promise<void> {
  const { room, exchange } = given;
  const asked = check(given);
  if (isRefused(asked)) return exchange.give(asked);
  const effect = room.faults.strike('message', elapsedAt(room, exchange.arrivedAt));
  const early = inPlaceOfWork(effect, room.clock);
  const { agent, session, request } = asked;
  if (early !== undefined) {
    room.sabotage.refused(session, request.message);
    return exchange.give(early);
  }
  const at = elapsedAt(room, exchange.arrivedAt);
  const idle = between(session.lastUsedAt, exchange.arrivedAt);
  const briefing = agent.brief(request.variableValues);
  const subject = { session, message: request.message, facts: briefing.facts, at, idle };
  room.sessions.touch(session);
  if (!session.queue.isFree) exchange.watch();
  const createdAt = timestampOf(room.clock.wallNow());
  session.queue.run(() => exchange.run(() => reply({ room, exchange, briefing, request, effect, subject, createdAt })));
}

interface CheckedMessage {
  agent: Agent;
  session: StoredSession;
  request: Required<MessageRequest>;
}

interface Work extends Pick<CheckedMessage, 'request'> {
  room: ServiceContext;
  exchange: ServerExchange;
  briefing: Briefing;
  effect: FaultEffect | undefined;
  subject: SabotagedTurn;
  createdAt: string;
}

function check({ room, exchange, incoming }: AskedExchange): CheckedMessage | Delivery {
  const caller = admit(room, incoming, exchange.arrivedAt);
  if (isRefused(caller)) return caller;
  const request = readMessage(incoming.body);
  if (isRefused(request)) return request;
  const agent = room.directory.agent(request.agentId, caller);
  if (isRefused(agent)) return agent;
  const session = room.sessions.find(request.sessionId);
  return session?.agentId === agent.id ? { agent, session, request } : failures.sessionNotFound;
}

function reply(work: Work): void | Promise<void> {
  const { room, briefing, request, exchange, effect, subject } = work;
  const sabotage = effect === undefined ? room.sabotage.strike(subject) : undefined;
  const earlier = room.sabotage.earlier(subject, sabotage);
  const answer = room.provider.answer({ briefing, earlier, message: request.message });
  if (!(answer instanceof Promise)) return finish(work, sabotage, answer);
  exchange.watch();
  return answer.then((made) => finish(work, sabotage, made));
}

/** The turn is remembered before the reply goes out: a failure on the way to the client does not undo it. */
function finish(work: Work, sabotage: SabotageKind | undefined, answer: ProviderReply): void | Promise<void> {
  const { room, exchange, effect } = work;
  if (answer.kind === 'failed') return exchange.give(failure(answer.status, errorTexts.provider, answer.retryAfter));
  return giveSpoiled(effect, remember(work, sabotage, answer.text), {
    exchange,
    clock: room.clock,
    broken: breakMessaging,
  });
}

function remember(work: Work, sabotage: SabotageKind | undefined, response: string): Delivery {
  const { room, request, subject, createdAt } = work;
  const { session } = subject;
  const given = room.sabotage.give(subject, sabotage, { response, chatId: randomUUID() });
  for (let copies = copiesUnder(sabotage); copies > 0; copies--)
    room.sessions.addTurn(session, { message: request.message, response, createdAt });
  const updatedAt = timestampOf(room.clock.wallNow());
  const body = replyBody({ session, ...given, createdAt, updatedAt }, room.options);
  return { outcome: 'ok', status: 200, body, retryAfter: undefined };
}

interface MessageReply {
  session: StoredSession;
  response: string;
  chatId: string;
  createdAt: string;
  updatedAt: string;
}

/** The body of a good reply. Concatenated as text: the conversation is JSON text already, and this runs for every message. */
function replyBody(reply: MessageReply, options: { costPerTurn: number; conversationTurns: number }): string {
  const { session, response, chatId, createdAt, updatedAt } = reply;
  return (
    `{"success":true,"data":{"response":${JSON.stringify(response)},"chatId":"${chatId}","sessionId":"${session.id}",` +
    `"isSession":true,"createdAt":"${createdAt}","updatedAt":"${updatedAt}","cost":${String(options.costPerTurn)},` +
    `"conversation":[${session.conversation.latest(options.conversationTurns)}]}}`
  );
}

interface GoodBody {
  success: boolean;
  data: Record<string, unknown>;
}

/** Breaks the contract of a good body; a creation only lacks its id. */
export const breakMessaging: BreakBody = (breaks, operation, body) => {
  const { success, data } = JSON.parse(body) as GoodBody;
  if (breaks === 'not_object') return [success];
  if (operation === 'create') return { success, data: without(data, 'sessionId') };
  switch (breaks) {
    case 'other_session':
      return { success, data: { ...data, sessionId: 'the-session-of-someone-else' } };
    case 'missing_response':
      return { success, data: without(data, 'response') };
    case 'not_session':
      return { success, data: { ...data, isSession: false } };
    case 'not_success':
      return { success: false, data };
  }
};

const without = (data: Record<string, unknown>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).filter(([key]) => key !== name));
