import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where figures can be fetched by HTTP; `port` 0: a free one. */
export interface ScrapeAddress {
  host: string;
  port: number;
}

/** Serves one text under `/metrics`, made anew for everyone who asks. */
export interface ScrapeServer {
  /** As a scraper on this machine reaches it. */
  url: string;
  /** Whether other machines may reach it too. */
  isOpen: boolean;
  close(): Promise<void>;
}

const scrapePath = '/metrics';

/** Starts the server. `write` gives the text for one scrape, and is told when that has been taken. Rejects when it cannot listen. */
export async function startScrapeServer({ host, port }: ScrapeAddress, write: Write): Promise<ScrapeServer> {
  const server = createServer((request, response) => answer({ request, response }, write));
  server.listen({ host, port });
  await once(server, 'listening');
  const { port: taken, address } = server.address() as AddressInfo;
  return {
    url: `http://${reachable(host)}:${String(taken)}${scrapePath}`,
    isOpen: !/^(127\.|::1$)/.test(address),
    close: () => closeServer(server),
  };
}

/** Gives the text for a scrape that begins now, and what to call once it has been taken. */
export type Write = () => Promise<{ text: string; taken: () => void }>;

/** Whatever fails is the scraper's to see: it must not end the run. */
function answer({ request, response }: Asked, write: Write): void {
  const { pathname } = new URL(request.url ?? '', 'http://localhost');
  if (pathname !== scrapePath) return refuse(response, 404, `There is only ${scrapePath}.`);
  if (request.method !== 'GET') return refuse(response, 405, 'There is only GET.');
  write().then(
    ({ text, taken }) => {
      response.once('finish', taken);
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
    },
    (thrown: unknown) => refuse(response, 500, String(thrown)),
  );
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
}

const refuse = (response: ServerResponse, status: number, why: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
};

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

const reachable = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};
