import { chatRequest } from '../chat-request.ts';
import { classifyWhole } from '../classify-whole.ts';
import type {
  ChatApi,
  ChatProtocol,
  ChatRequest,
  Conversation,
  ProtocolTarget,
  Received,
  Route,
  TurnContent,
  Verdict,
} from '../protocol.ts';
import { messagesPath, sessionsPath } from './api.ts';
import { creationRules, messageRules } from './reply-rules.ts';

/** The chat messaging API: sessions are created, and the service keeps the conversation. */
export const chatMessaging: ChatProtocol = {
  name: 'chat-messaging',
  paths: { message: messagesPath, create: sessionsPath },
  history: 'service',
  wholeOnly: true,
  fixedMessages: true,
  agentsOnly: true,
  createsSessions: () => true,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: openApi,
};

const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };

export const messageRoute: Route = { operation: 'message', method: 'POST', path: messagesPath, headers };

export function createRoute(path: string): Route {
  return { operation: 'create', method: 'POST', path, headers };
}

function openApi({ agentId, createSession: { path, body, sessionIdFrom } }: ProtocolTarget): ChatApi {
  const rules = creationRules(sessionIdFrom);
  return {
    creation: {
      request: chatRequest(createRoute(path), createBody(body, agentId)),
      read: (received) => classifyWhole(received, rules),
    },
    converse: (sessionId) => new MessagingConversation(sessionId, agentId),
  };
}

/** A class, because a hundred thousand instances may exist at the same time. */
class MessagingConversation implements Conversation {
  readonly sessionId: string;
  readonly #agentId: string;

  constructor(sessionId: string, agentId: string) {
    this.sessionId = sessionId;
    this.#agentId = agentId;
  }

  request({ message, variableValues }: TurnContent): ChatRequest {
    const body = messageBody({ agentId: this.#agentId, sessionId: this.sessionId, message, variableValues });
    return chatRequest(messageRoute, body);
  }

  read(received: Received): Verdict {
    return classifyWhole(received, messageRules, this.sessionId);
  }
}

/** Returns the JSON body that creates a session: the scenario's, with `{{agentId}}` filled in everywhere. */
export function createBody(template: unknown, agentId: string): string {
  return JSON.stringify(template, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('{{agentId}}', () => agentId) : value,
  );
}

/** The fields of a message; `variableValues` is JSON text, or '' for none. */
interface MessageParts {
  agentId: string;
  sessionId: string;
  message: string;
  variableValues: string;
}

/** Returns the JSON body of a message. */
export function messageBody({ agentId, sessionId, message, variableValues }: MessageParts): string {
  return (
    `{"agentId":${JSON.stringify(agentId)},"sessionId":${JSON.stringify(sessionId)},"message":${JSON.stringify(message)}` +
    (variableValues === '' ? '}' : `,"variableValues":${variableValues}}`)
  );
}
