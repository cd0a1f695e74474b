import type { Warning } from '../../result/sections/warning.ts';
import { type ListenAddress, isLoopbackHost, openSmallServer, reachableHost, type Exchange } from '../small-server.ts';
import type { ExportedRun, RunExporter } from './exported-metrics.ts';
import { primeExport, RecordedMetrics } from './recorded-metrics.ts';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';

export type ScrapeExporter = RunExporter & ScrapeServer;

interface ScrapeOptions extends ListenAddress {
  /** How long the end of a run waits, at most, until its last figures have been scraped. */
  lingerMs: number;
  /** Is told when that begins. */
  note: (text: string) => void;
}

/**
 * Lets Prometheus scrape the runs of this process, the latest one at a time. The text is made when it is asked for.
 * Rejects when it cannot listen there.
 */
export async function openScrapeExporter({ lingerMs, note, ...address }: ScrapeOptions): Promise<ScrapeExporter> {
  await primeExport('explicit', writeText);
  let scraped: Scraped | undefined;
  const server = await startScrapeServer(address, async () => {
    const now = scraped;
    if (now === undefined) return { text: '# no run has started yet\n', taken: () => undefined };
    const taken = now.begin();
    return { text: await writeText(now.metrics), taken };
  });
  return {
    ...server,
    observe: (run) => {
      const mine = (scraped = new Scraped(run));
      return {
        end: (hurry) => {
          if (lingerMs > 0) note(waiting(lingerMs));
          return mine.end(lingerMs, hurry);
        },
      };
    },
  };
}

const waiting = (lingerMs: number): string =>
  `The run is over: waiting for its last figures to be scraped, ${String(lingerMs / 1000)} s at most.`;

/** A run, and what has been scraped of it. */
class Scraped {
  readonly metrics: RecordedMetrics;
  /** When the figures that were taken last had been read; `undefined` before that. */
  #takenAt: number | undefined;
  #isOver = false;
  #hasAll = false;
  #tellAll = (): void => undefined;

  constructor(run: ExportedRun) {
    this.metrics = new RecordedMetrics(run, 'explicit');
  }

  /** Figures are read now; the returned function is called when they have arrived. */
  begin(): () => void {
    const [readAt, isWhole] = [performance.now(), this.#isOver];
    return () => {
      this.#takenAt = readAt;
      if (!isWhole) return;
      this.#hasAll = true;
      this.#tellAll();
    };
  }

  async end(lingerMs: number, hurry: AbortSignal): Promise<Warning[]> {
    this.#isOver = true;
    const endedAt = performance.now();
    if (lingerMs > 0) await this.#untilTaken(lingerMs, hurry);
    return this.#hasAll ? [] : [notScraped(this.#takenAt === undefined ? undefined : endedAt - this.#takenAt)];
  }

  #untilTaken(lingerMs: number, hurry: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        clearTimeout(timer);
        hurry.removeEventListener('abort', over);
        resolve();
      };
      const timer = setTimeout(over, lingerMs);
      hurry.addEventListener('abort', over);
      this.#tellAll = over;
      if (hurry.aborted) over();
    });
  }
}

const notScraped = (beforeEndMs: number | undefined): Warning => ({
  code: 'metrics_not_scraped',
  message:
    beforeEndMs === undefined
      ? 'The metrics of the run were never scraped.'
      : `The metrics of the run were last scraped ${(beforeEndMs / 1000).toFixed(1)} s before its end: what came after that is not in the monitoring.`,
  remedy:
    'Wait for the last scrape with --metrics-linger, at least as long as the scrape interval. The result has everything.',
});

/** The text that Prometheus scrapes, written metric by metric. */
export async function writeText(metrics: RecordedMetrics): Promise<string> {
  const { resource, scope } = metrics;
  const texts: string[] = [];
  for await (const metric of metrics.read()) {
    const serializer = texts.length === 0 ? whose : what;
    texts.push(serializer.serialize({ resource, scopeMetrics: [{ scope, metrics: [metric] }] }));
  }
  return `${texts.join('\n')}\n`;
}

// Positional: no prefix, no timestamps, no labels of the resource, no labels of the scope; the first one alone writes
// `target_info`, which says whose metrics they are.
const whose = new PrometheusSerializer(undefined, false, undefined, false, true);
const what = new PrometheusSerializer(undefined, false, undefined, true, true);

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
