import { createServer } from 'node:http';
import { changed, listen } from './exporter-cost.ts';
import type { Finding } from './finding.ts';
import { chatLoad } from './generators.ts';
import { median } from './markdown.ts';
import type { Load } from './measure.ts';
import { compareSpeed } from './speed.ts';
import { plainTarget } from './with-target.ts';

interface TraceCost {
  folder: string;
  rounds: number;
  load: Load;
  report: (text: string) => void;
}

/**
 * Measures the cost of a turn with `--trace`: only the header, and with spans exported to a receiver that discards them,
 * relative to a turn that is not traced, alternately against the same target, which replies at once.
 */
export async function measureTraceCost({ folder, ...how }: TraceCost): Promise<Finding[]> {
  let bytes = 0;
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => response.end());
  });
  try {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: await listen(receiver) };
    const ours = chatLoad(folder);
    const traced = (share: string) =>
      changed(ours, { name: `chat-load, traces ${share}`, words: ['--trace', '--trace-share', share], env });
    const rows = await compareSpeed({
      ours,
      peers: [
        changed(ours, { name: 'chat-load, traceparent only', words: ['--trace'], env: {} }),
        traced('0.1'),
        traced('1'),
      ],
      shape: plainTarget,
      ...how,
    });
    const [header = NaN, tenth = NaN, all = NaN] = rows.slice(1).map(({ failure, ratios }) => {
      if (failure !== undefined) throw new Error(`with traces: ${failure}`);
      return median(ratios.map(({ cpuUsPerTurn }) => cpuUsPerTurn));
    });
    return [
      { what: 'CPU per turn, traceparent sent over not traced', value: header, atMost: 1.2 },
      { what: 'CPU per turn, 10 % of the sessions exported over not traced', value: tenth, atMost: 2.75 },
      { what: 'CPU per turn, all sessions exported over not traced', value: all, atMost: 6 },
      { what: 'received MB of spans', value: bytes / 1e6, atLeast: 1 },
    ];
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}
