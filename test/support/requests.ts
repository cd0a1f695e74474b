import { chatMessaging, createRoute, messageRoute } from '../../src/protocol/chat-messaging/chat-messaging.ts';
import type { ChatRequest, Route } from '../../src/protocol/protocol.ts';

const { authorize } = chatMessaging;
export { authorize };

const creations = createRoute('/api/sessions');
const messages: Route = { ...messageRoute, path: '/api/messages' };

/** A request that creates a session, at `/api/sessions`. */
export function creationOf(body: string): ChatRequest {
  return { route: creations, body };
}

/** A request with a message, at `/api/messages`. */
export function messageOf(body: string): ChatRequest {
  return { route: messages, body };
}
