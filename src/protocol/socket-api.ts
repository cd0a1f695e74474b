import type { ChatApi, SocketObserver } from './protocol.ts';

/** Returns the API of a protocol over WebSocket, of which every session has its own. */
export function socketApi(forSession: NonNullable<ChatApi['forSession']>): ChatApi {
  return { creation: undefined, converse: (id) => forSession(1, unobserved).converse(id), forSession };
}

/** For the requests of a session whose socket is not counted. */
export const unobserved: SocketObserver = {
  opened: () => undefined,
  closed: () => undefined,
  unsolicited: () => undefined,
};
