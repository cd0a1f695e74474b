import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Finding } from './finding.ts';
import { chatLoad, type Generator } from './generators.ts';
import { median } from './markdown.ts';
import type { Load } from './measure.ts';
import { compareSpeed } from './speed.ts';
import { plainTarget } from './with-target.ts';

interface ExporterCost {
  folder: string;
  rounds: number;
  load: Load;
  report: (text: string) => void;
}

const everyMs = 1000;

/**
 * Measures the cost of a turn while metrics are scraped or pushed every second, more often than usual, relative to a turn
 * without an exporter, alternately against the same target.
 */
export async function measureExporterCost({ folder, ...how }: ExporterCost): Promise<Finding[]> {
  const seen = { scrapes: 0, pushes: 0 };
  const receiver = createServer((request, response) => {
    seen.pushes++;
    request.resume().on('end', () => response.end());
  });
  const port = await freePort();
  const scraper = setInterval(() => {
    fetch(`http://127.0.0.1:${String(port)}/metrics`)
      .then((response) => response.text())
      .then(() => seen.scrapes++)
      // The target does not answer while another generator is measured.
      .catch(() => undefined);
  }, everyMs);
  try {
    const pushed = {
      OTEL_EXPORTER_OTLP_ENDPOINT: await listen(receiver),
      OTEL_METRIC_EXPORT_INTERVAL: String(everyMs),
    };
    const ours = chatLoad(folder);
    const rows = await compareSpeed({
      ours,
      peers: [
        changed(ours, { name: 'chat-load, scraped', words: ['--metrics-port', String(port)], env: {} }),
        changed(ours, { name: 'chat-load, pushing', words: [], env: pushed }),
      ],
      shape: plainTarget,
      ...how,
    });
    const [scraping, pushing] = rows.slice(1).map(({ failure, ratios }) => {
      if (failure !== undefined) throw new Error(`while exporting: ${failure}`);
      return median(ratios.map(({ cpuUsPerTurn }) => cpuUsPerTurn));
    });
    return [
      { what: 'CPU per turn, scraped every second over not scraped', value: scraping ?? NaN, atMost: 1.05 },
      { what: 'CPU per turn, pushing every second over not pushing', value: pushing ?? NaN, atMost: 1.05 },
      { what: 'scrapes', value: seen.scrapes, atLeast: how.rounds },
      { what: 'pushes', value: seen.pushes, atLeast: how.rounds },
    ];
  } finally {
    clearInterval(scraper);
    receiver.closeAllConnections();
    receiver.close();
  }
}

export function changed(
  ours: Generator,
  { name, words, env }: { name: string; words: readonly string[]; env: NodeJS.ProcessEnv },
): Generator {
  return {
    ...ours,
    name,
    start: (load) => {
      const { command, env: own } = ours.start(load);
      return { command: [...command, ...words], env: { ...own, ...env } };
    },
  };
}

export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listen(server));
  await new Promise((resolve) => server.close(resolve));
  return Number(port);
}
