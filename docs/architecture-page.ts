import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What each room does, and what it knows nothing of, in the order of the river. */
const about: Readonly<Record<string, readonly [does: string, ignores: string]>> = {
  base: ['units, clocks, errors, random numbers, number formats', 'everything'],
  statistics: ['distributions and tests: numbers in, numbers out', 'everything'],
  dataset: ['conversations of files: their forms, what is in them, what looks personal', 'files'],
  trace: ['recorded traffic: its forms, its sessions by time', 'files'],
  fit: ['a workload fitted to traces and conversations: distributions, and how near they come', 'files, scenarios'],
  protocol: [
    'how a chat API is spoken, as values: the port, and a folder a protocol (`model-api/`: what the APIs of language models share); outcome classes',
    'sockets',
  ],
  scenario: ['what is asked: `defineScenario`, its schema, templates', 'parallelism, HTTP'],
  plan: ['what was decided: precedence, load shapes, one session from (seed, number)', 'who executes it'],
  schedule: ['when: arrivals, slots, ramps; `stop/`: what ends a run', 'HTTP'],
  session: ['what happened: attempts, classes, retries, backoff; `integrity/`', 'sockets, counting'],
  conformance: ['whether a service keeps its protocol, rule by rule', 'sockets'],
  record: ['what it amounts to: histograms, intervals, snapshots that merge', 'who is watching'],
  result: ['what is published: sections, books, metrics, gates, drift, validity, journal', 'rendering'],
  fleet: [
    'one run in several shards: what they and their coordinator say, who is lost, one merged view',
    'how shards are reached',
  ],
  probe: ['the ceiling of a target and of the generator, and which limits', 'sockets'],
  compare: ['what changed: figures of runs, verdicts, change points', 'files'],
  capacity: ['the most load under which objectives hold: the judge of a step, the search', 'how a step is played'],
  report: ['how it reads: documents in, text out; `page/`: what a page shows, as data', 'files'],
  page: ['how a page is drawn: code for browsers, bundled when built', 'documents'],
  edge: [
    'sockets (`http/`), files (`disk/`), the reference service (`target/`), this process (`health/`), the display and what browsers are served (`live/`), metrics for dashboards (`metrics/`), shards on other cores and machines (`fleet/`), raw load (`probe/`)',
    'each other',
  ],
  app: [
    'the use cases: run, worker, ab, compare, trend, ui, probe, try, check, recover, calibrate',
    'argv, the terminal',
  ],
  cli: ['arguments, streams, signals, exit codes', ''],
};

/** The rooms that are described. */
export const described = Object.keys(about);

/** The rooms as a Markdown table. */
export function roomTable(): string {
  const rows = Object.entries(about).map(([room, [does, ignores]]) => `| \`${room}/\` | ${does} | ${ignores} |`);
  return ['| room | what it does | knows nothing of |', '|---|---|---|', ...rows].join('\n');
}

/** Which room imports from which, as the source says. */
export function importTable(): string {
  const imports = importsByRoom();
  const rows = described.map((room) => {
    const from = described.filter((other) => other !== room && imports.get(room)?.has(other) === true);
    return `| \`${room}/\` | ${from.map((other) => `\`${other}\``).join(' ')} |`;
  });
  return ['| room | imports from |', '|---|---|', ...rows].join('\n');
}

function importsByRoom(): Map<string, Set<string>> {
  const root = fileURLToPath(new URL('../src', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'),
  );
  const found = new Map<string, Set<string>>();
  for (const file of files) {
    const [room = ''] = file.split(sep);
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const [target = ''] = relative(root, resolve(root, dirname(file), path)).split(sep);
      found.set(room, (found.get(room) ?? new Set()).add(target));
    }
  }
  return found;
}
