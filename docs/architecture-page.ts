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
    'sockets (`http/`), files (`disk/`), this process (`health/`), the display and what browsers are served (`live/`), metrics for dashboards (`metrics/`), shards on other cores and machines (`fleet/`), raw load (`probe/`)',
    'each other',
  ],
  'reference-service': [
    'the chat service to test against, as processes of its own: a folder an API (`apis/`), what goes wrong (`faults/`), what it counted (`books/`), the agent (`conversation/`), several processes (`processes/`)',
    'who runs it',
  ],
  app: [
    'the use cases: run, worker, ab, compare, trend, ui, probe, try, check, recover, calibrate',
    'argv, the terminal',
  ],
  cli: ['arguments, streams, signals, exit codes', ''],
};

/** The files that one turn passes, in order. */
const route: readonly (readonly [file: string, does: string])[] = [
  ['app/run/play-load.ts', 'opens what generates the load: connections of this process, or a fleet'],
  ['app/run/conduct-run.ts', 'gives the run its sender, its cookies and its traces'],
  ['run.ts', 'sets the run up, starts the schedule, and takes the snapshot after the last session'],
  [
    'schedule/run-schedule.ts',
    'starts each session when it is due: by arrivals (`run-open.ts`) or in slots (`run-closed.ts`)',
  ],
  ['session/play-session.ts', 'does all the waiting of one session'],
  ['session/live-session.ts', 'decides what the session sends next and when, and how it ended'],
  ['plan/session-plan.ts', 'draws messages, think times and variables from (seed, number)'],
  ['session/play-operation.ts', 'sends the first attempt of a turn or of a creation, and decides what follows'],
  ['session/send-attempt.ts', 'sends one attempt; polls where the protocol does'],
  ['session/send.ts', 'the port between sessions and sockets: `Send` and `Exchange`'],
  ['edge/http/http1/sender.ts', 'chooses a connection and measures the exchange (`http2/http2-sender.ts` over HTTP/2)'],
  ['edge/http/http1/connection.ts', 'writes the request to its socket, and fails it where the socket fails'],
  ['edge/http/response/fast-response.ts', 'reads an ordinary response in one pass; others are parsed in full'],
  ['session/end-attempt.ts', 'has the attempt judged, and reports it'],
  ['session/judge-attempt.ts', 'assigns the outcome class: protocol, price, integrity, checks'],
  ['protocol/protocol.ts', 'the port to the protocols, whose readers judge what was received'],
  ['session/play-retries.ts', 'after a failure: gives up, or waits and sends again'],
  ['session/observer.ts', 'the port between sessions and the record: attempts, retries, turns'],
  ['record/recorder.ts', 'finds the phase, policy and interval of an observation'],
  ['record/counting.ts', 'adds the turn to counters and histograms'],
];

/** Those files. */
export const routeFiles = route.map(([file]) => file);

/** The route of one turn as a Markdown table. */
export function routeOfTurn(): string {
  const rows = route.map(([file, does], at) => `| ${String(at + 1)} | \`${file}\` | ${does} |`);
  return ['| | file | what it does with the turn |', '|---|---|---|', ...rows].join('\n');
}

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
