import { randomUUID } from 'node:crypto';
import { isObject } from '../../../base/is-object.ts';
import { between } from '../../../base/time.ts';
import { errorTexts, messagesPath, sessionsPath, type MessageRequest } from '../../../protocol/chat-messaging/api.ts';
import type { FaultEffect } from '../../../scenario/embedded-faults.ts';
import type { SabotageKind } from '../../../scenario/embedded-sabotage.ts';
import type { Briefing } from '../../conversation/instructions.ts';
import type { ProviderReply } from '../../conversation/provider.ts';
import type { StoredSession } from '../../conversation/session-store.ts';
import { admit, isRefused } from '../../exchange/admit.ts';
import type { Agent } from '../../exchange/directory.ts';
import { sendCreation, sendUnderFault, inPlaceOfWork, type BreakBody } from '../../exchange/apply-fault.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import type { ServerExchange } from '../../exchange/server-exchange.ts';
import { timestampOf } from '../../exchange/service-context.ts';
import { copiesUnder, type SabotagedTurn } from '../../faults/sabotage.ts';
import { failure, failures, success, type Delivery } from '../../http/delivery.ts';
import type { Incoming } from '../../http/receive-body.ts';
import { exampleSocket } from './example-socket.ts';

/** The service's own API. */
export const servedApi: ServedApi = {
  endpoints: {
    create: {
      path: sessionsPath,
      meaning:
        'Creates a session: 201 with its id in `data.sessionId`; requires the key as `Authorization: Bearer KEY`',
      body: { agentId: 'agent-support' },
      serve: serveCreation,
    },
    message: {
      path: messagesPath,
      meaning: 'Answers a message: 200 with the text in `data.response`; requires the key',
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
  socket: exampleSocket,
};

/** Creates one session. The order of checks: key, body, agent, chat enabled; then faults; then the session. */
function serveCreation(exchange: ServerExchange, incoming: Incoming): void | Promise<void> {
  const { context } = exchange;
  const agent = checkCreation(exchange, incoming);
  if (isRefused(agent)) return exchange.send(agent);
  const create = (): Delivery => {
    const { id: sessionId } = context.sessions.create(agent.id);
    const createdAt = timestampOf(context.clock.wallNow());
    return success(201, JSON.stringify({ success: true, data: { sessionId, agentId: agent.id, createdAt } }));
  };
  return sendCreation(exchange, create, breakMessaging);
}

function checkCreation(exchange: ServerExchange, incoming: Incoming): Agent | Delivery {
  const admitted = admit(exchange, incoming);
  if (isRefused(admitted)) return admitted;
  const { agentId } = admitted.body;
  return isText(agentId) ? exchange.context.directory.agent(agentId, admitted.caller) : failures.noAgentId;
}

/** Serves one message. The order of checks: key, body, agent, chat enabled, session; then faults; then the work. */
function serveMessage(exchange: ServerExchange, incoming: Incoming): void | Promise<void> {
  const { context, elapsed: at, arrivedAt } = exchange;
  const checked = checkMessage(exchange, incoming);
  if (isRefused(checked)) return exchange.send(checked);
  const effect = context.faults.strike('message', at);
  const early = inPlaceOfWork(effect, context.clock);
  const { agent, session, request } = checked;
  if (early !== undefined) {
    context.sabotage.refused(session, request.message);
    return exchange.send(early);
  }
  const idle = between(session.lastUsedAt, arrivedAt);
  const briefing = agent.brief(request.variableValues);
  const subject = { session, message: request.message, facts: briefing.facts, at, idle };
  context.sessions.touch(session);
  if (!session.queue.isFree) exchange.watch();
  const createdAt = timestampOf(context.clock.wallNow());
  session.queue.run(() => exchange.run(() => reply({ exchange, briefing, effect, subject, createdAt })));
}

interface CheckedMessage {
  agent: Agent;
  session: StoredSession;
  request: Required<MessageRequest>;
}

function checkMessage(exchange: ServerExchange, incoming: Incoming): CheckedMessage | Delivery {
  const { context } = exchange;
  const admitted = admit(exchange, incoming);
  if (isRefused(admitted)) return admitted;
  const request = readMessage(admitted.body);
  if (isRefused(request)) return request;
  const agent = context.directory.agent(request.agentId, admitted.caller);
  if (isRefused(agent)) return agent;
  const session = context.sessions.find(request.sessionId);
  return session?.agentId === agent.id ? { agent, session, request } : failures.sessionNotFound;
}

function readMessage(body: Readonly<Record<string, unknown>>): Required<MessageRequest> | Delivery {
  const { agentId, sessionId, message, variableValues = {} } = body;
  if (!isText(agentId) || !isText(sessionId) || !isText(message)) return failures.missingFields;
  return isObject(variableValues) ? { agentId, sessionId, message, variableValues } : failures.badValues;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

interface Work {
  exchange: ServerExchange;
  briefing: Briefing;
  effect: FaultEffect | undefined;
  subject: SabotagedTurn;
  createdAt: string;
}

function reply(work: Work): void | Promise<void> {
  const { briefing, exchange, effect, subject } = work;
  const { sabotage: sabotages, provider } = exchange.context;
  const sabotage = effect === undefined ? sabotages.strike(subject) : undefined;
  const earlier = sabotages.earlier(subject, sabotage);
  const answer = provider.answer({ briefing, earlier, message: subject.message });
  if (!(answer instanceof Promise)) return finish(work, sabotage, answer);
  exchange.watch();
  return answer.then((made) => finish(work, sabotage, made));
}

/** Stores the turn, then sends the reply: a failure on the way to the client does not undo the turn. */
function finish(work: Work, sabotage: SabotageKind | undefined, answer: ProviderReply): void | Promise<void> {
  const { exchange, effect } = work;
  if (answer.kind === 'failed') return exchange.send(failure(answer.status, errorTexts.provider, answer.retryAfter));
  return sendUnderFault(exchange, effect, success(200, store(work, sabotage, answer.text)), breakMessaging);
}

/** Stores a turn and returns the body of its reply. Concatenated as text, because the conversation is already JSON text, and this code runs for every message. */
function store(
  { exchange: { context }, subject, createdAt }: Work,
  sabotage: SabotageKind | undefined,
  response: string,
): string {
  const { session, message } = subject;
  const sent = context.sabotage.apply(subject, sabotage, { response, chatId: randomUUID() });
  for (let copies = copiesUnder(sabotage); copies > 0; copies--)
    context.sessions.addTurn(session, { message, response, createdAt });
  const { costPerTurn, conversationTurns } = context.options;
  return (
    `{"success":true,"data":{"response":${JSON.stringify(sent.response)},"chatId":"${sent.chatId}",` +
    `"sessionId":"${session.id}","isSession":true,"createdAt":"${createdAt}",` +
    `"updatedAt":"${timestampOf(context.clock.wallNow())}","cost":${String(costPerTurn)},` +
    `"conversation":[${session.conversation.latest(conversationTurns)}]}}`
  );
}

interface GoodBody {
  success: boolean;
  data: Record<string, unknown>;
}

/** Breaks the contract of a valid body; a creation only lacks its id. */
const breakMessaging: BreakBody = (breaks, operation, body) => {
  const { success, data } = JSON.parse(body) as GoodBody;
  if (breaks === 'not_object') return [success];
  if (operation === 'create') return { success, data: { ...data, sessionId: undefined } };
  switch (breaks) {
    case 'other_session':
      return { success, data: { ...data, sessionId: 'the-session-of-someone-else' } };
    case 'missing_response':
      return { success, data: { ...data, response: undefined } };
    case 'not_session':
      return { success, data: { ...data, isSession: false } };
    case 'not_success':
      return { success: false, data };
  }
};
