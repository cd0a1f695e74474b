import type { ServerResponse } from 'node:http';
import type { Connections } from './connections.ts';

/** Where the events of one reply go. */
export interface EventSink {
  /** Sends text by itself. */
  write(text: string): void;
  /** Ends the response. */
  end(how: StreamEnd): void;
}

/** How a stream ends: as HTTP wants it; or the connection does, once what was written is out, by a reset or closed early. */
export const streamEnds = ['whole', 'reset', 'closed'] as const;
export type StreamEnd = (typeof streamEnds)[number];

const head = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Answers with a stream of events on a connection of this process. */
export function openEvents(response: ServerResponse, connections: Connections): EventSink {
  response.writeHead(200, head);
  const { socket } = response.req;
  return {
    write: (text) => void response.write(text),
    end: (how) => {
      if (how === 'whole') response.end();
      // Nothing is written: the callback comes after all that was.
      else response.write('', () => (how === 'reset' ? connections.reset(socket) : socket.destroySoon()));
    },
  };
}
