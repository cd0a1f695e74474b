import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { isLoopbackHost, openSmallServer, reachableHost, type Exchange, type ListenAddress } from '../small-server.ts';

/** Serves one text under `/metrics`, made anew for everyone who asks. */
export interface ScrapeServer {
  /** As a scraper on this machine reaches it. */
  url: string;
  /** Whether other machines may reach it too. */
  isOpen: boolean;
  close(): Promise<void>;
}

const scrapePath = '/metrics';

/** Maximum number of scrapes that are written at once: each takes processor time from the run. */
const maxScrapes = 8;

/** Starts the server. `write` gives the text for one scrape, and is told when that has been taken. Rejects when it cannot listen. */
export async function startScrapeServer({ host, port }: ListenAddress, write: Write): Promise<ScrapeServer> {
  let underWay = 0;
  const bounded: Write = async () => {
    underWay++;
    try {
      return await write();
    } finally {
      underWay--;
    }
  };
  const { server, port: taken } = await openSmallServer({
    host,
    port,
    answer: (exchange) =>
      underWay < maxScrapes ? answer(exchange, bounded) : refuse(exchange.response, 503, 'Too many scrapes at once.'),
    refuse: (response) => refuse(response, 421, misdirected),
  });
  return {
    url: `http://${reachableHost(host)}:${String(taken)}${scrapePath}`,
    isOpen: !isLoopbackHost(addressOf(server)),
    close: () => closeServer(server),
  };
}

/** Gives the text for a scrape that begins now, and what to call once it has been taken. */
export type Write = () => Promise<{ text: string; taken: () => void }>;

/** Whatever fails is the scraper's to see: it must not end the run. */
async function answer({ request, response }: Exchange, write: Write): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== scrapePath) return refuse(response, 404, `There is only ${scrapePath}.`);
  if (request.method !== 'GET') return refuse(response, 405, 'There is only GET.');
  try {
    const { text, taken } = await write();
    response.once('finish', taken);
    response.writeHead(200, { ...guarding, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  } catch (thrown) {
    refuse(response, 500, String(thrown));
  }
}

/** No page of another origin gets it as a part of its own. */
const guarding = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };

const misdirected =
  'The Host of the request is not a name of this server, or the page of another site asks. Scrape it by its address, or start the run with --metrics-host NAME.';

const refuse = (response: ServerResponse, status: number, why: string): void => {
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...guarding, 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
};

const addressOf = (server: Server): string => {
  const address = server.address();
  return address === null || typeof address === 'string' ? '' : address.address;
};

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
