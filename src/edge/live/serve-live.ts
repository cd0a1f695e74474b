import type { ServerResponse } from 'node:http';
import { LiveViewers } from './live-viewers.ts';
import { endWith, endWithPage, guardedHeaders, openGuarded } from './open-guarded.ts';

/** The page of a run under way, as it is served. */
export interface LiveOptions {
  host: string;
  port: number;
  token: string;
  page: { html: string; policy: string };
  /** What a viewer who has just come has to know: an event. `undefined`: nothing yet. */
  greet: () => { event: string; data: string } | undefined;
  /** A button on the page was pressed. */
  press: (button: LiveButton) => void;
}

export type LiveButton = 'drain' | 'cut';

export interface LiveServer {
  port: number;
  viewers: Pick<LiveViewers, 'count' | 'send'>;
  /** Ends once the viewers have what was sent, in bounded time. */
  close: () => Promise<void>;
}

/** How long viewers may take to fetch what was sent last. */
const patienceMs = 2000;

/** Serves a live page. Rejects with what the system says where it cannot listen. */
export async function serveLive({ host, port, token, ...options }: LiveOptions): Promise<LiveServer> {
  const viewers = new LiveViewers();
  const opened = await openGuarded({ host, port, token }, ({ what, request, response }) => {
    const answer = answers[`${request.method ?? ''} ${what}`];
    answer?.({ ...options, viewers, response });
    return answer !== undefined;
  });
  return {
    port: opened.port,
    viewers,
    close: async () => {
      opened.server.close();
      await viewers.end(patienceMs);
      opened.server.closeAllConnections();
    },
  };
}

interface Answering extends Pick<LiveOptions, 'page' | 'greet' | 'press'> {
  viewers: LiveViewers;
  response: ServerResponse;
}

const pressed =
  (button: LiveButton) =>
  ({ press, response }: Answering): void => {
    press(button);
    endWith(response, 202, '');
  };

/** By method and what is asked for. */
const answers: Readonly<Record<string, (answering: Answering) => void>> = {
  'GET ': ({ page, response }) => endWithPage(response, 200, page),
  'GET events': ({ viewers, greet, response }) => {
    if (viewers.isFull) return endWith(response, 503, 'Too many viewers.\n');
    response.writeHead(200, { ...guardedHeaders, 'Content-Type': 'text/event-stream' });
    // What others are sent meanwhile is in it.
    const first = greet();
    viewers.add(response);
    if (first !== undefined) viewers.send(first.event, first.data, [response]);
  },
  'POST drain': pressed('drain'),
  'POST cut': pressed('cut'),
};
