import type { HeaderFields, ProtocolTarget, Route } from '../protocol.ts';
import { EventStream, type EventReader } from './event-stream.ts';
import { pathBelow } from './path-below.ts';

/** How the messages of an API are sent: its path and headers of its own, and what reads its events. */
interface MessageRoute {
  readonly path: string;
  readonly headers?: HeaderFields;
  readonly begin: () => EventReader;
}

/** The route of messages to a target. */
export function messageRoute(target: ProtocolTarget, { path, headers, begin }: MessageRoute): Route {
  const { baseUrl, messagesPath, stream } = target;
  return {
    operation: 'message',
    method: 'POST',
    path: messagesPath ?? pathBelow(baseUrl, path),
    headers: {
      'Content-Type': 'application/json',
      Accept: stream ? 'text/event-stream' : 'application/json',
      ...headers,
    },
    stream: stream ? { framing: 'sse', begin: () => new EventStream(begin()) } : undefined,
  };
}
