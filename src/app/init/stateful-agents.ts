import { findConversation, jsonsOf, leavesOf, valueIn, withValue } from './find-places.ts';
import type { GivenApi, GivenRequest } from './given-api.ts';

/** Describes sessions of a service that keeps one history per agent. */
export const sharedAgent = 'none found: all sessions share one agent, which keeps the history';

/** Reports whether the service keeps the history of an agent, although messages are sent in a list: Letta. */
export function keepsHistory({ message, reply }: GivenApi): boolean {
  if (/\/agents\/[^/]+\/messages(?:\/stream)?\/?$/.test(message.url.pathname)) return true;
  return leavesOf(jsonsOf(reply)).some(
    ({ path, value }) => path.at(-1) === 'message_type' && value === 'assistant_message',
  );
}

/** Returns a request that sends only the last one of its messages. */
export function withLastMessage(request: GivenRequest): GivenRequest {
  const list = findConversation(request.body);
  const items = valueIn(request.body, list);
  if (list === undefined || !Array.isArray(items)) return request;
  return { ...request, body: withValue(request.body, list, items.slice(-1)) as GivenRequest['body'] };
}
