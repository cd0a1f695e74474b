import type { ServerResponse } from 'node:http';
import { endWith, endWithPage, guardedHeaders, openGuarded } from './open-guarded.ts';

/** The page of a run in progress. */
interface LiveOptions {
  host: string;
  port: number;
  token: string;
  page: { html: string; policy: string };
  /** Returns the first event for a new viewer; `undefined`: nothing yet. */
  greet: () => { event: string; data: string } | undefined;
  press: (button: LiveButton) => void;
}

export type LiveButton = 'drain' | 'cut';

export interface LiveServer {
  port: number;
  viewers: Pick<LiveViewers, 'count' | 'send'>;
  /** Ends when the viewers have received everything, in bounded time. */
  close: () => Promise<void>;
}

/** Maximum time in which viewers may fetch the last events. */
const patienceMs = 2000;

/** Serves a live page. Rejects with the error of the system if it cannot listen. */
export async function serveLive({ host, port, token, ...options }: LiveOptions): Promise<LiveServer> {
  const viewers = new LiveViewers();
  const opened = await openGuarded({ host, port, token }, ({ resource, request, response }) => {
    const answer = answers[`${request.method ?? ''} ${resource}`];
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

/** Responses by method and resource. */
const answers: Readonly<Record<string, (answering: Answering) => void>> = {
  'GET ': ({ page, response }) => endWithPage(response, 200, page),
  'GET events': ({ viewers, greet, response }) => {
    if (viewers.isFull) return endWith(response, 503, 'Too many viewers.\n');
    response.writeHead(200, { ...guardedHeaders, 'Content-Type': 'text/event-stream' });
    // It contains all events that were sent to others before.
    const first = greet();
    viewers.add(response);
    if (first !== undefined) viewers.send(first.event, first.data, [response]);
  },
  'POST drain': pressed('drain'),
  'POST cut': pressed('cut'),
};

/** Maximum backlog of a viewer that does not read; beyond it the connection is dropped, and the browser reconnects. */
const maxWaitingBytes = 8 * 1024 * 1024;

/** Larger than any real number of viewers. */
const maxViewers = 50;

/** The viewers of a live page. All get the same server-sent events. */
class LiveViewers {
  readonly #open = new Set<ServerResponse>();
  #events = 0;

  get count(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size >= maxViewers;
  }

  /** Adds a response with its head, until its connection is closed. */
  add(response: ServerResponse): void {
    this.#open.add(response);
    const remove = (): void => void this.#open.delete(response);
    response.once('close', remove).once('error', remove);
    response.write('retry: 1000\n\n');
  }

  /** Sends an event; its data is one line of JSON. */
  send(event: string, data: string, to: Iterable<ServerResponse> = this.#open): void {
    const text = `id: ${String(++this.#events)}\nevent: ${event}\ndata: ${data}\n\n`;
    for (const response of to) {
      response.write(text);
      if (response.writableLength > maxWaitingBytes) response.destroy();
    }
  }

  /** Closes every connection once the viewer has received everything, or when the time is over. */
  async end(patienceMs: number): Promise<void> {
    const closed = [...this.#open].map(
      (response) =>
        new Promise<void>((resolve) => {
          response.once('close', resolve);
          response.end();
        }),
    );
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, patienceMs)));
    await Promise.race([Promise.all(closed), over]);
    clearTimeout(timer);
    for (const response of this.#open) response.destroy();
  }
}
