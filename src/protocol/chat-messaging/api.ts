/** Where messages are sent, below the base URL. Source: the API description, section 4.1. */
export const messagesPath = '/api/developer/chat/messages';

/** Where sessions are created unless a scenario says otherwise: the description leaves the path open. */
export const sessionsPath = '/api/developer/chat/sessions';

/** The error texts that the API description fixes (its section 7). A client distinguishes outcomes only by these. */
export const errorTexts = {
  missingFields: 'Agent ID, message, and session ID are required',
  chatDisabled: 'Agent does not have chat enabled',
  agentNotFound: 'Agent not found',
  internal: 'Internal server error',
  provider: 'Chat provider error',
} as const;

/** The body of a message request. */
export interface MessageRequest {
  agentId: string;
  sessionId: string;
  message: string;
  variableValues?: Readonly<Record<string, unknown>>;
}

/** `data` of a successful reply. Fields beyond these are additive. */
export interface MessageResult {
  response: string;
  chatId: string;
  sessionId: string;
  isSession: true;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  updatedAt: string;
}
