import type { Warning } from '../../result/sections/warning.ts';
import { type ListenAddress, isLoopbackHost, openSmallServer, reachableHost, type Exchange } from '../small-server.ts';
import type { ExportedRun, RunExporter } from './exported-metrics.ts';
import { primeExport, RecordedMetrics } from './recorded-metrics.ts';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

interface ScrapeServer {
  /** Address of the exporter for a scraper on this machine. */
  url: string;
  /** True if other machines may reach it too. */
  isOpen: boolean;
  close(): Promise<void>;
}

interface ScrapeOptions extends ListenAddress {
  /** Maximum time that the end of a run waits until its last figures have been scraped. */
  lingerMs: number;
  /** Called when that begins. */
  note: (text: string) => void;
}

/**
 * Lets Prometheus scrape the latest run of this process. The text is written on demand. Rejects if it cannot listen there.
 */
export async function openScrapeExporter({
  lingerMs,
  note,
  ...address
}: ScrapeOptions): Promise<RunExporter & ScrapeServer> {
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
      const own = (scraped = new Scraped(run));
      return {
        end: (hurry) => {
          if (lingerMs > 0)
            note(`The run is over: waiting for its last figures to be scraped, ${String(lingerMs / 1000)} s at most.`);
          return own.end(lingerMs, hurry);
        },
      };
    },
  };
}

/** A run, and the state of its scrapes. */
class Scraped {
  readonly metrics: RecordedMetrics;
  /** When the latest scraped figures were read. */
  #takenAt: number | undefined;
  #isOver = false;
  #hasAll = false;
  #reportAll = (): void => undefined;

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
      this.#reportAll();
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
      this.#reportAll = over;
      if (hurry.aborted) over();
    });
  }
}

const notScraped = (beforeEndMs: number | undefined): Warning => ({
  code: 'metrics_not_scraped',
  message:
    beforeEndMs === undefined
      ? 'The metrics of the run were never scraped.'
      : `The metrics of the run were last scraped ${(beforeEndMs / 1000).toFixed(1)} s before its end: later figures are not in the monitoring.`,
  remedy:
    'Wait for the last scrape with --metrics-linger, at least as long as the scrape interval. The result has everything.',
});

/** Writes the text that Prometheus scrapes, metric by metric. */
async function writeText(metrics: RecordedMetrics): Promise<string> {
  const { resource, scope } = metrics;
  const texts: string[] = [];
  for await (const metric of metrics.read()) {
    const serializer = texts.length === 0 ? withTarget : plain;
    texts.push(serializer.serialize({ resource, scopeMetrics: [{ scope, metrics: [metric] }] }));
  }
  return `${texts.join('\n')}\n`;
}

// Positional arguments: no prefix, no timestamps, no labels of the resource, no labels of the scope; only the first one
// writes `target_info`, which names the owner of the metrics.
const withTarget = new PrometheusSerializer(undefined, false, undefined, false, true);
const plain = new PrometheusSerializer(undefined, false, undefined, true, true);

const scrapePath = '/metrics';

/** Maximum number of concurrent scrapes: each takes processor time from the run. */
const maxScrapes = 8;

/** Writes the text for a scrape that begins now. `taken` is called once it has been sent. */
type Write = () => Promise<{ text: string; taken: () => void }>;

/** Serves one text under `/metrics`, written again for every scrape. Rejects if it cannot listen. */
async function startScrapeServer({ host, port }: ListenAddress, write: Write): Promise<ScrapeServer> {
  let underWay = 0;
  const { server, port: listening } = await openSmallServer({
    host,
    port,
    answer: async (exchange) => {
      if (underWay >= maxScrapes) return refuse(exchange.response, 503, 'Too many scrapes at once.');
      underWay++;
      await answer(exchange, write).finally(() => underWay--);
    },
    refuse: (response) => refuse(response, 421, misdirected),
  });
  const address = server.address();
  return {
    url: `http://${reachableHost(host)}:${String(listening)}${scrapePath}`,
    isOpen: !isLoopbackHost(address === null || typeof address === 'string' ? '' : address.address),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers a scrape. A failure is reported to the scraper, and does not end the run. */
async function answer({ request, response }: Exchange, write: Write): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== scrapePath) return refuse(response, 404, `Only ${scrapePath} is served.`);
  if (request.method !== 'GET') return refuse(response, 405, 'Only GET is supported.');
  try {
    const { text, taken } = await write();
    response.once('finish', taken);
    response.writeHead(200, { ...guarding, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  } catch (thrown) {
    refuse(response, 500, String(thrown));
  }
}

/** No page of another origin can embed it. */
const guarding = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };

const misdirected =
  'The Host of the request is not a name of this server, or the request is from a page of another site. Scrape it by its address, or start the run with --metrics-host NAME.';

const refuse = (response: ServerResponse, status: number, why: string): void => {
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...guarding, 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
};
