import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeBody, messagesUrl, type PeerLoad } from './peers/message.ts';
import { certificate } from './with-target.ts';

/** A load generator that runs as one process. */
export interface Generator {
  name: string;
  /** Work done for a turn. */
  does: string;
  /** Version; undefined if it is not installed. */
  version: string | undefined;
  start: (load: PeerLoad) => { command: readonly [string, ...string[]]; env?: NodeJS.ProcessEnv };
}

const path = (name: string): string => join(fileURLToPath(new URL('.', import.meta.url)), name);
const versionOf = (manifest: string): string =>
  (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
const packageVersion = (name: string): string =>
  versionOf(createRequire(import.meta.url).resolve(`${name}/package.json`));

/** Returns the real command: sessions of 20 turns including their creation, full recording, result written. */
export function chatLoad(resultFolder: string, scenario = 'turns'): Generator {
  return {
    name: scenario === 'turns' ? 'chat-load' : `chat-load, ${scenario}`,
    does: 'whole turns: template, contract, classes, histograms, retries',
    version: versionOf(path('../package.json')),
    start: ({ baseUrl, connections, seconds }) => ({
      command: [
        ...([process.execPath, path('../dist/cli/main.js'), 'run', path(`scenarios/${scenario}.ts`)] as const),
        ...['--base-url', baseUrl],
        ...[
          '--concurrency',
          String(connections),
          '--duration',
          `${String(seconds)}s`,
          '--out',
          resultFolder,
          '--quiet',
        ],
      ],
      env: { CHAT_LOAD_API_KEY: 'bench-key', NODE_EXTRA_CA_CERTS: certificate.cert },
    }),
  };
}

const script =
  (name: string, ...flags: string[]): Generator['start'] =>
  (load) => ({
    command: [process.execPath, '--import', 'jiti/register', path(name), '--load', JSON.stringify(load), ...flags],
  });

/** Generators that need no installation beyond the development dependencies. */
const libraries: readonly Generator[] = [
  {
    name: 'bare Node.js sockets',
    does: 'one constant body, length found, JSON parsed, session id compared, two clock readings',
    version: process.versions.node,
    start: script('peers/sockets.ts'),
  },
  {
    name: 'autocannon, fresh bodies',
    does: 'fresh body, JSON parsed, session id compared',
    version: packageVersion('autocannon'),
    start: script('peers/autocannon.ts', '--fresh'),
  },
  {
    name: 'autocannon',
    does: 'one constant body, reply unread',
    version: packageVersion('autocannon'),
    start: script('peers/autocannon.ts'),
  },
  {
    name: 'undici request',
    does: 'fresh body, JSON parsed, session id compared',
    version: packageVersion('undici'),
    start: script('peers/undici.ts'),
  },
  {
    name: 'undici dispatch',
    does: 'fresh body, JSON parsed, session id compared',
    version: packageVersion('undici'),
    start: script('peers/undici.ts', '--dispatch'),
  },
];

/** A loop over streamed replies that parses every event. */
export const streamPeer: Generator = {
  name: 'undici request and eventsource-parser',
  does: 'fresh body, every event parsed as JSON',
  version: packageVersion('undici'),
  start: script('peers/undici-stream.ts'),
};

const constantBody = 'one constant body, reply unread';
const timed = ({ seconds, connections }: PeerLoad): string[] => [
  '-z',
  `${String(seconds)}s`,
  '-c',
  String(connections),
];

/** Generators that may be on the PATH. */
const installed: readonly Generator[] = [
  {
    name: 'wrk',
    does: constantBody,
    version: ask('wrk', '--version'),
    start: (load) => ({
      command: [
        ...(['wrk', '-t', '1', '-c', String(load.connections), '-d', `${String(load.seconds)}s`] as const),
        ...['-s', path('peers/post.lua'), messagesUrl(load)],
      ],
      env: { BENCH_BODY: composeBody(1) },
    }),
  },
  {
    name: 'oha',
    does: constantBody,
    version: ask('oha', '--version'),
    start: (load) => ({
      command: [
        ...(['oha', '--no-tui', '--insecure', ...timed(load), '-m', 'POST', '-T', 'application/json'] as const),
        ...['-H', 'Authorization: Bearer bench-key', '-d', composeBody(1), messagesUrl(load)],
      ],
    }),
  },
  {
    name: 'hey',
    does: constantBody,
    version: ask('hey', '-h') === undefined ? undefined : 'of unknown version',
    start: (load) => ({
      command: ['hey', ...timed(load), '-m', 'POST', '-T', 'application/json', '-d', composeBody(1), messagesUrl(load)],
    }),
  },
  {
    name: 'k6',
    does: 'fresh body, JSON parsed, one check',
    version: ask('k6', 'version'),
    start: (load) => ({
      command: ['k6', 'run', '--quiet', path('peers/turns.k6.js')],
      env: { BENCH_LOAD: JSON.stringify(load), BENCH_BODY: composeBody(1), K6_NO_USAGE_REPORT: 'true' },
    }),
  },
  {
    name: 'Locust',
    does: 'FastHttpUser: fresh body, JSON parsed, session id compared',
    version: ask('locust', '--version'),
    start: (load) => ({
      command: [
        ...(['locust', '--headless', '--only-summary', '-f', path('peers/turns_locust.py')] as const),
        ...['-u', String(load.connections), '-r', String(load.connections), '-t', `${String(load.seconds)}s`],
        ...['-H', load.baseUrl],
      ],
      env: { BENCH_BODY: composeBody(1) },
    }),
  },
  {
    name: 'Artillery',
    does: 'fresh body, one field captured',
    version: ask('artillery', '--version'),
    start: ({ baseUrl }) => ({
      command: ['artillery', 'run', '--quiet', path('peers/turns.artillery.yml')],
      env: { BENCH_BASE_URL: baseUrl, ARTILLERY_DISABLE_TELEMETRY: 'true' },
    }),
  },
];

/** All other generators, installed or not. */
export const peers: readonly Generator[] = [...libraries, ...installed];

/** Returns the first version number that a program prints, ignoring its exit code. */
function ask(program: string, flag: string): string | undefined {
  const { error, stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8', timeout: 20_000 });
  return error === undefined ? (/\d+\.\d+(\.\d+)?/.exec(stdout + stderr)?.[0] ?? 'of unknown version') : undefined;
}
