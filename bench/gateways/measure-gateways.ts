import { fileURLToPath } from 'node:url';
import type { Chapter } from '../chapter.ts';
import { chatLoad, type Generator } from '../generators.ts';
import { speedTable } from '../markdown.ts';
import type { Load } from '../measure.ts';
import { compareSpeed } from '../speed.ts';
import { certificate } from '../with-target.ts';

interface Gateways {
  folder: string;
  rounds: number;
  load: Load;
  report: (text: string) => void;
}

/** A connection variant, measured between two runs of plain HTTP/1.1. */
interface Way {
  name: string;
  does: string;
  words?: readonly string[];
  scenario?: string;
}

const clear: readonly Way[] = [
  { name: 'headers', does: 'three constant fields and two templates', scenario: 'gateway-headers' },
  { name: 'trace', does: 'a traceparent per attempt', words: ['--trace'] },
  { name: 'cookies', does: 'a cookie per session, kept and sent', words: ['--cookies'] },
  { name: 'compression', does: 'replies of 400 bytes in gzip', words: ['--compression'] },
  { name: 'HTTP/2', does: 'h2c, streams on few connections', words: ['--http2'] },
];

const secure: readonly Way[] = [{ name: 'HTTP/2', does: 'over TLS', words: ['--http2'] }];

const target = fileURLToPath(new URL('target.ts', import.meta.url));

/** Measures the cost of a turn with gateway features relative to a turn without them, alternately against the same target. */
export async function measureGateways(bench: Gateways): Promise<Chapter[]> {
  const tls = ['--cert', certificate.cert, '--key', certificate.key];
  return [
    await compare(bench, { title: 'Gateways, in clear text', ways: clear, shape: { program: [target] } }),
    await compare(bench, {
      title: 'Gateways, with TLS',
      ways: secure,
      shape: { program: [target, ...tls], tls: true },
    }),
  ];
}

interface Comparison {
  title: string;
  ways: readonly Way[];
  shape: { program: readonly [string, ...string[]]; tls?: boolean };
}

async function compare({ folder, ...how }: Gateways, { title, ways, shape }: Comparison): Promise<Chapter> {
  const peers = ways.map((way) => speaking(chatLoad(folder, way.scenario), way));
  const rows = await compareSpeed({ ours: chatLoad(folder), peers, shape, ...how });
  const missing = rows.flatMap(({ generator, failure }) =>
    failure === undefined ? [] : [`${generator.name}: ${failure}`],
  );
  return { title, text: [speedTable(rows), ...missing].join('\n\n'), broken: missing.length };
}

const speaking = (ours: Generator, { name, does, words = [] }: Way): Generator => ({
  ...ours,
  name: `chat-load, ${name}`,
  does,
  start: (load) => {
    const { command, ...rest } = ours.start(load);
    return { command: [...command, ...words], ...rest };
  },
});
