import { errorTexts } from '../../protocol/chat-messaging/api.ts';
import { classOfFailure, type ConnectionEnd, type ServiceClass } from '../books/service-class.ts';

/** End of an exchange, and the class in which it is counted; `reset`, `closed` and `cut` are classes and ends of the connection. */
export interface Delivery {
  outcome: ServiceClass;
  /** 0 without a response. */
  status: number;
  body: string;
  retryAfter: string | undefined;
  /** Further headers: names and values in turn. */
  headers?: readonly string[];
}

/** Returns a successful reply. */
export function success(status: number, body: string): Delivery {
  return { outcome: 'ok', status, body, retryAfter: undefined };
}

/** Returns a reply with an error body. */
export function failure(status: number, error: string, retryAfter?: string): Delivery {
  const body = JSON.stringify({ success: false, error });
  return { outcome: classOfFailure(status, error), status, body, retryAfter };
}

/** Returns the end of a connection without a reply. */
export function withoutResponse(outcome: ConnectionEnd): Delivery {
  return { outcome, status: 0, body: '', retryAfter: undefined };
}

/** Errors with texts of the API description, or of this service where the description has none. */
export const failures = {
  missingFields: failure(400, errorTexts.missingFields),
  chatDisabled: failure(400, errorTexts.chatDisabled),
  notJson: failure(400, 'Invalid JSON'),
  badValues: failure(400, 'variableValues must be an object'),
  noAgentId: failure(400, 'Agent ID is required'),
  wrongKey: failure(401, 'Invalid API key'),
  wrongKind: failure(403, 'This type of API key cannot be used here'),
  agentNotFound: failure(404, errorTexts.agentNotFound),
  sessionNotFound: failure(404, 'Session not found'),
  tooLarge: failure(413, 'Request body is too large'),
  wrongMediaType: failure(415, 'Content-Type must be application/json'),
  internal: failure(500, errorTexts.internal),
} as const;
