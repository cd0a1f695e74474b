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
  const agentText = JSON.stringify(agentId);
  return {
    creation: {
      request: chatRequest(createRoute(path), createBody(body, agentId)),
      read: (received) => classifyWhole(received, rules),
    },
    converse: (sessionId) => new MessagingConversation(sessionId, agentText),
  };
}

/** A class, because a hundred thousand instances may exist at the same time. */
class MessagingConversation implements Conversation {
  readonly sessionId: string;
  /** JSON text of the id, which every message contains. */
  readonly #sessionText: string;
  readonly #agentText: string;

  constructor(sessionId: string, agentText: string) {
    this.sessionId = sessionId;
    this.#sessionText = JSON.stringify(sessionId);
    this.#agentText = agentText;
  }

  request({ message, variableValues }: TurnContent): ChatRequest {
    const [agentText, sessionText] = [this.#agentText, this.#sessionText];
    return chatRequest(messageRoute, messageBody({ agentText, sessionText, message, variableValues }));
  }

  read(received: Received): Verdict {
    return classifyWhole(received, messageRules, this.sessionId);
  }
}

/** Returns the JSON body that creates a session: the scenario's, with `{{agentId}}` filled in everywhere. */
function createBody(template: unknown, agentId: string): string {
  return JSON.stringify(template, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('{{agentId}}', () => agentId) : value,
  );
}

/** The fields of a message, of which all but the message are JSON text; `variableValues`: '' for none. */
interface MessageParts {
  agentText: string;
  sessionText: string;
  message: string;
  variableValues: string;
}

/** Returns the JSON body of a message. */
export function messageBody({ agentText, sessionText, message, variableValues }: MessageParts): string {
  return (
    `{"agentId":${agentText},"sessionId":${sessionText},"message":${JSON.stringify(message)}` +
    (variableValues === '' ? '}' : `,"variableValues":${variableValues}}`)
  );
}
