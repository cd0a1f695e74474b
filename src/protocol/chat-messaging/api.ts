import { isServerStatus } from '../classify-whole.ts';
import type { ErrorClass } from '../outcome.ts';

/** Path of messages, below the base URL. Source: the API description, section 4.1. */
export const messagesPath = '/api/developer/chat/messages';

/** Default path of creations: the description leaves the path open. */
export const sessionsPath = '/api/developer/chat/sessions';

/** The error texts that the API description defines (section 7). A client distinguishes outcomes only by these. */
export const errorTexts = {
  missingFields: 'Agent ID, message, and session ID are required',
  chatDisabled: 'Agent does not have chat enabled',
  agentNotFound: 'Agent not found',
  internal: 'Internal server error',
  provider: 'Chat provider error',
} as const;

const classesByText: Readonly<Record<string, readonly [status: number, outcome: ErrorClass]>> = {
  [errorTexts.missingFields]: [400, 'missing_fields'],
  [errorTexts.chatDisabled]: [400, 'chat_disabled'],
  [errorTexts.agentNotFound]: [404, 'agent_not_found'],
  [errorTexts.internal]: [500, 'internal_error'],
};

/**
 * Returns the class of an error text with its status; `undefined` if the status alone decides. The text of a provider's
 * failure decides with any status.
 */
export function classOfError(status: number, error: unknown): ErrorClass | undefined {
  if (typeof error !== 'string') return undefined;
  if (error === errorTexts.provider) {
    if (status === 429) return 'provider_rate_limited';
    return isServerStatus(status) ? 'provider_error' : 'provider_rejected';
  }
  const [fixed, outcome] = (Object.hasOwn(classesByText, error) ? classesByText[error] : undefined) ?? [];
  // In a success, the text is the only evidence.
  return fixed === status || status === 200 ? outcome : undefined;
}

/** The body of a message request. */
export interface MessageRequest {
  agentId: string;
  sessionId: string;
  message: string;
  variableValues?: Readonly<Record<string, unknown>>;
}
