import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guarded } from './live-guard.ts';
import { LiveViewers } from './live-viewers.ts';

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
export async function serveLive({ host, port, ...options }: LiveOptions): Promise<LiveServer> {
  const viewers = new LiveViewers();
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000, keepAliveTimeout: 5000 });
  server.maxConnections = 200;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const guard = { host, port: address.port, token: options.token };
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    const what = guarded(request, guard);
    const answer = what === undefined ? undefined : answers[`${request.method ?? ''} ${what}`];
    if (answer === undefined) return end(response, 404, 'Not found.\n');
    answer({ ...options, viewers, response, request });
  });
  return {
    port: address.port,
    viewers,
    close: async () => {
      server.close();
      await viewers.end(patienceMs);
      server.closeAllConnections();
    },
  };
}

interface Answering extends Pick<LiveOptions, 'page' | 'greet' | 'press'> {
  viewers: LiveViewers;
  request: IncomingMessage;
  response: ServerResponse;
}

const pressed =
  (button: LiveButton) =>
  ({ press, response }: Answering): void => {
    press(button);
    end(response, 202, '');
  };

/** By method and what is asked for. */
const answers: Readonly<Record<string, (answering: Answering) => void>> = {
  'GET ': ({ page, response }) => {
    response.setHeader('Content-Security-Policy', `${page.policy}; frame-ancestors 'none'`);
    end(response, 200, page.html, 'text/html; charset=utf-8');
  },
  'GET events': ({ viewers, greet, response }) => {
    if (viewers.isFull) return end(response, 503, 'Too many viewers.\n');
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' });
    // What others are sent meanwhile is in it.
    const first = greet();
    viewers.add(response);
    if (first !== undefined) viewers.send(first.event, first.data, [response]);
  },
  'POST drain': pressed('drain'),
  'POST cut': pressed('cut'),
};

const headers = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

function end(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { ...headers, 'Content-Type': type }).end(text);
}
