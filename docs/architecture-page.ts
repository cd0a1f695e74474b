import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Purpose of each room and what it must not know, in the order of the stages. */
const about: Readonly<Record<string, readonly [does: string, ignores: string]>> = {
  base: ['units, clocks, errors, random numbers, number formats', 'everything'],
  statistics: ['distributions and tests: numbers in, numbers out', 'everything'],
  dataset: ['conversation files: formats, contents, personal data', 'files'],
  trace: ['recorded traffic: formats, sessions by time', 'files'],
  fit: ['workloads fitted to traces and conversations: distributions and goodness of fit', 'files, scenarios'],
  protocol: [
    'chat APIs as values: the port, and a folder per protocol (`model-api/`: common parts of model APIs); outcome classes',
    'sockets',
  ],
  scenario: ['the author’s input: `defineScenario`, its schema, templates', 'parallelism, HTTP'],
  plan: ['resolved settings: precedence, load shapes, one session from (seed, number)', 'its executor'],
  schedule: ['timing: arrivals, slots, ramps; `stop/`: ends of a run', 'HTTP'],
  session: ['one conversation: attempts, classes, retries, backoff; `integrity/`', 'sockets, counting'],
  conformance: ['conformance of a service to its protocol, rule by rule', 'sockets'],
  record: ['counting: histograms, intervals, snapshots that merge', 'its readers'],
  'model-calls': ['attribution of model calls to turns, and their counting', 'sockets'],
  result: ['the published result: sections, consistency checks, metrics, gates, drift, validity, journal', 'rendering'],
  fleet: [
    'one run in several shards: messages between shards and coordinator, lost shards, one merged view',
    'the transport',
  ],
  calibrate: ['the ceiling of a target, next to the calibration of this machine', 'sockets'],
  compare: ['differences between runs: verdicts, change points', 'files'],
  report: ['rendering: documents in, text out; `page/`: contents of a page, as data', 'files'],
  page: ['drawing of a page: code for browsers, bundled by the build', 'documents'],
  edge: [
    'sockets (`http/`), files (`disk/`), this process (`health/`), the display and the servers for browsers (`live/`), metrics for dashboards (`metrics/`), metrics of the target (`target-metrics/`), shards on other cores and machines (`fleet/`), raw load (`calibrate/`)',
    'each other',
  ],
  'reference-service': [
    'the chat service to test against, in its own process: a folder per API (`apis/`), `faults/`, counters (`books/`), the agent (`conversation/`)',
    'its caller',
  ],
  app: ['the use cases: run, worker, ab, compare, trend, ui, try, check, recover, calibrate', 'argv, the terminal'],
  cli: ['arguments, streams, signals, exit codes', ''],
  features: [
    'capabilities that can be removed, a folder each with its stages, command, reports and tests; `features.ts` lists them',
    'each other',
  ],
};

/** Files that a turn passes, in order. */
const route: readonly (readonly [file: string, does: string])[] = [
  ['app/run/play-load.ts', 'opens the load generator: connections of this process, or a fleet'],
  ['app/run/conduct-run.ts', 'equips the run with its sender, cookies and traces'],
  ['run.ts', 'sets the run up, starts the schedule, and takes the snapshot after the last session'],
  [
    'schedule/run-schedule.ts',
    'starts each session when it is due: by arrivals (`run-open.ts`) or in slots (`run-closed.ts`)',
  ],
  ['session/play-session.ts', 'performs all waits of one session'],
  ['session/live-session.ts', 'decides what the session sends next and when, and how it ended'],
  ['plan/session-plan.ts', 'draws messages, think times and variables from (seed, number)'],
  ['session/play-operation.ts', 'sends the first attempt of a turn or of a creation, and decides what follows'],
  ['session/send-attempt.ts', 'sends one attempt; polls if the protocol does'],
  ['session/send.ts', 'the port between sessions and sockets: `Send` and `Exchange`'],
  [
    'edge/http/http1/sender.ts',
    'chooses a connection and measures the exchange (`http2/http2-sender.ts` over HTTP/2, `websocket/socket-sender.ts` over WebSocket)',
  ],
  ['edge/http/http1/connection.ts', 'writes the request to its socket, and fails it if the socket fails'],
  ['edge/http/response/fast-response.ts', 'reads an ordinary response in one pass; others are parsed in full'],
  ['session/end-attempt.ts', 'classifies the attempt, and reports it'],
  ['session/judge-attempt.ts', 'assigns the outcome class: protocol, price, integrity, checks'],
  ['protocol/protocol.ts', 'the port to the protocols, whose readers classify the reply'],
  ['session/play-retries.ts', 'after a failure: gives up, or waits and sends again'],
  ['session/observer.ts', 'the port between sessions and the record: attempts, retries, turns'],
  ['record/recorder.ts', 'finds the phase, policy and interval of an observation'],
  ['record/counting.ts', 'adds the turn to counters and histograms'],
];

/** Paths of these files. */
export const routeFiles = route.map(([file]) => file);

/** The route of one turn as a Markdown table. */
export function routeOfTurn(): string {
  const rows = route.map(([file, does], at) => `| ${String(at + 1)} | \`${file}\` | ${does} |`);
  return ['| | file | role |', '|---|---|---|', ...rows].join('\n');
}

/** Names of the described rooms. */
export const described = Object.keys(about);

/** The rooms as a Markdown table. */
export function roomTable(): string {
  const rows = Object.entries(about).map(([room, [does, ignores]]) => `| \`${room}/\` | ${does} | ${ignores} |`);
  return ['| room | purpose | must not know |', '|---|---|---|', ...rows].join('\n');
}

/** Imports between rooms, read from the source. */
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
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts') && !/^features.[^\\/]+.test./.test(file),
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
