import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import yargs, { type CommandModule } from 'yargs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandGroups } from '../../src/cli/main.ts';
import type { ListedCommand } from '../../src/cli/parser/command.ts';
import { problemOfWords } from '../../src/cli/parser/read-words.ts';
import { startService, type RunningService } from '../../src/reference-service/start.ts';
import { embeddedDefaults, embeddedOptions } from '../../src/scenario/embedded.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root } from '../support/command.ts';
import {
  otherPrograms,
  recordCommands,
  shellScript,
  writeNamedBlocks,
  type DocumentedCommand,
} from '../support/documented-commands.ts';
import { unusedPort } from '../support/http-peer.ts';

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
  .sort()
  .filter((page) => shellScript(textOf(page)).trim() !== '');
function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Commands that are only parsed, by a part of their line, with the reason. */
const parsedOnly: Readonly<Record<string, string>> = {
  'chat-load serve': 'runs until a signal',
  'chat-load ui': 'runs until a signal',
  'chat-load worker': 'needs Redis',
  '--fleet': 'needs Redis',
  '--from-curl -': 'reads standard input',
  '--proxy': 'needs a proxy',
  'CHAT_LOAD_PROXY=': 'needs a proxy',
  '--unix-socket': 'needs a service on a Unix socket',
  '--ca private-ca.pem': 'needs a service with client certificates',
  '--http2': 'needs a service with HTTP/2',
  '--protocol openai-realtime': 'the embedded service does not speak it; the gallery has a service',
  '--resolve agent.example.com': 'needs a service with HTTPS',
  '--metrics-port 9464': 'needs a free fixed port',
  'compare peak-capacity-v1.json': 'needs two searches',
  'nightly --head https://v2.example': 'runs like the one of the embedded service, which is executed; `ab` is, too',
  '--base-url https://agent.example.com --allow-host agent.example.com --agent-id my-agent --max-connections':
    'measured like the URL of a model, which is executed',
};

/** Replacements in arguments and variables of commands that send requests. */
const replacements = (baseUrl: string): readonly (readonly [RegExp, string])[] => [
  [/^https:\/\/llm\.example\.com\/v1$|^http:\/\/localhost:8000\/v1$/, `${baseUrl}/v1`],
  [/^https:\/\/(agent\.example\.com|v[12]\.example)$|^http:\/\/localhost:8000$/, baseUrl],
  [
    /^https:\/\/(api\.openai\.com|generativelanguage\.googleapis\.com|my-resource\.openai\.azure\.com|bedrock-runtime\.[\w-]+\.amazonaws\.com)(?=\/|$)/,
    baseUrl,
  ],
  [/^curl http:\/\/localhost:8000(?=\/)/, `curl ${baseUrl}`],
  [/\bNAME(?=\\?")/, embeddedDefaults.agentId],
  [/\/deployments\/my-model\//, `/deployments/${embeddedDefaults.agentId}/`],
  [/^http:\/\/localhost:8000(?=\/(?:api\/chat|a2a)$)/, baseUrl],
  [/^(NAME|my-agent|my-model)$/, embeddedDefaults.agentId],
  [/^9009$/, '0'],
  [/^my-muted-agent$/, embeddedDefaults.chatOffAgentId],
  [/^\.\.\.$/, embeddedDefaults.apiKey],
  [/^gcloud auth print-access-token$/, `echo ${embeddedDefaults.apiKey}`],
];

/** Flags that shorten a command: their values replace those of the page, or are added. */
const shortened: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  run: {
    sessions: '4',
    duration: '1s',
    repeat: '2',
    cores: '2',
    rate: '4',
    'input-tokens': '20',
    'output-tokens': '20',
  },
  ab: { pairs: '1' },
  nightly: { runs: '1' },
  capacity: { 'max-duration': '2s', 'max-step': '1s', min: '1', max: '4' },
  check: { pause: '0ms' },
  calibrate: { 'step-duration': '200ms', 'max-connections': '1' },
};
const added: readonly string[] = [
  'sessions',
  'pairs',
  'max-duration',
  'max-step',
  'pause',
  'step-duration',
  'max-connections',
];

/** Commands whose verdict depends on the sample size, which is too small here. */
const measures: readonly string[] = ['run', 'ab', 'compare', 'nightly', 'capacity', 'check', 'trend'];
/** Commands that send nothing take hosts as they are. */
const offline: readonly string[] = ['plan', 'fleet', 'init', 'dataset', 'fit', 'report', 'compare', 'trend', 'recover'];

let service: RunningService;
beforeAll(async () => {
  service = await startService(embeddedOptions.parse({}), { host: '127.0.0.1', port: 0 });
});
afterAll(() => service.close());

test.each(pages)('the commands of %s can be executed as written', async (page) => {
  const folder = await prepare(page);
  const commands = await recordCommands(shellScript(textOf(page)), folder);
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) await judge(command, folder);
});

test('every command that is only parsed is documented', () => {
  expect(Object.keys(parsedOnly).filter((part) => !usedParts.has(part))).toEqual([]);
});

/** Parts of `parsedOnly` that a command contained. */
const usedParts = new Set<string>();
/** Commands that were executed on an earlier page, in a folder like this one. */
const executed = new Set<string>();

async function judge(command: DocumentedCommand, folder: string): Promise<void> {
  const { program, words, cwd } = command;
  if ((otherPrograms as readonly string[]).includes(program)) return;
  const [first, ...own] = program === 'npx' ? words : [program, ...words];
  expect(first).toBe('chat-load');
  await parse(own);
  const line = `${Object.entries(command.env)
    .map(([name, value]) => `${name}=${value} `)
    .join('')}chat-load ${own.join(' ')}`;
  const part = Object.keys(parsedOnly).find((each) => line.includes(each));
  if (part !== undefined) usedParts.add(part);
  // Later commands of a page need the files of `init --example`.
  const isKnown = cwd === folder && executed.has(line) && !/--label|init --example/.test(line);
  executed.add(line);
  if (part !== undefined || isKnown) return;
  // BASE_URL is set by the runner of the tests.
  const [name = ''] = own;
  const cache = name === 'calibrate' ? await calibratedHere() : { CHAT_LOAD_CACHE: join(folder, 'cache') };
  const env = { ...cache, BASE_URL: '', OTEL_EXPORTER_OTLP_TIMEOUT: '300' };
  // Checked before shortening: the scenario accepts these flags.
  if (name === 'run' && own[1]?.endsWith('.ts') === true) {
    const planned = [
      'run',
      join('whole', own[1]),
      ...replaced(own.slice(2)),
      ...(own.includes('--dry-run') ? [] : ['--dry-run']),
    ];
    if (existsSync(join(cwd, 'whole', own[1]))) {
      const { code, stderr } = await performCommand(withoutReports(planned), { ...env, ...replacedEnv(command) }, cwd);
      expect(code, `${line}\n${stderr}`).toBe(0);
    }
  }
  const isOffline = offline.includes(name) && !own.some((word) => word.startsWith('--from-'));
  const actual = isOffline ? own : shorten(replaced(own));
  const set = isOffline ? command.env : replacedEnv(command);
  const { code, stdout, stderr } = await performCommand(actual, { ...env, ...set }, cwd);
  const [, initialized = '.'] = own;
  if (name === 'init') for (const each of [cwd, join(cwd, initialized)]) await shortenScenarios(each);
  expect(measures.includes(name) ? [0, 1, 4] : [0], `${line}\n${stderr}\n${stdout.slice(-2000)}`).toContain(code);
}

const replaceIn = (text: string): string =>
  replacements(service.baseUrl).reduce((so, [pattern, by]) => so.replace(pattern, by), text);
const replaced = (words: readonly string[]): string[] => words.map(replaceIn);
const replacedEnv = ({ env }: DocumentedCommand): Record<string, string> => ({
  CHAT_LOAD_API_KEY: embeddedDefaults.apiKey,
  CHAT_LOAD_AGENT_ID: embeddedDefaults.agentId,
  ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, replaceIn(value)])),
});

const withoutReports = (words: readonly string[]): string[] =>
  words.filter(
    (word, at) =>
      !['--repeat', '--label', '--report', '--live'].includes(word) &&
      !['--repeat', '--label', '--report'].includes(words[at - 1] ?? ''),
  );

function shorten(words: readonly string[]): string[] {
  const flags = shortened[words[0] ?? ''] ?? {};
  const short = words.map((word, at) => flags[(words[at - 1] ?? '').replace(/^--/, '')] ?? word);
  const missing = Object.entries(flags).filter(([flag]) => added.includes(flag) && !words.includes(`--${flag}`));
  return [...short, ...missing.flatMap(([flag, value]) => [`--${flag}`, value])];
}

const commandList = Object.values(commandGroups).flat();

/** Parses a command line by the product's own option table, and performs nothing. */
async function parse(words: readonly string[]): Promise<void> {
  const parser = yargs([...words]);
  for (const listed of commandList) parser.command(await idle(listed));
  await parser
    .strict()
    .parserConfiguration({ 'dot-notation': false, 'boolean-negation': false })
    .exitProcess(false)
    .middleware(() => {
      const problem = problemOfWords(words, parser);
      if (problem !== undefined) throw new Error(problem);
    }, true)
    .fail((message: string | null, error: Error | undefined) => {
      throw new Error(`chat-load ${words.join(' ')}: ${message ?? error?.message ?? 'cannot be parsed'}`);
    })
    .parseAsync();
}

/** A command that only parses its words. */
async function idle({ load, parts }: ListedCommand): Promise<CommandModule> {
  const listed = { ...(await load()), handler: () => undefined };
  if (parts === undefined) return listed;
  const own = await Promise.all(parts.map(idle));
  return { ...listed, builder: (yargs) => yargs.command(own) };
}

/** A folder as a reader of the page has it: the scenarios, shortened (and whole, below `whole`), and the files that it names. */
async function prepare(page: string): Promise<string> {
  const folder = await makeFolder();
  const text = textOf(page);
  // `init --example` writes these.
  const examples = [...shellScript(text).matchAll(/init .*?--example ([\w-]+)/g)].flatMap(([, name = '']) => [
    `${name}.ts`,
    `${name}-agent.mjs`,
  ]);
  for (const to of ['whole/scenarios', 'scenarios']) {
    await mkdir(join(folder, to), { recursive: true });
    for (const name of await readdir(join(root, 'scenarios')))
      if (to !== 'scenarios' || !examples.includes(name))
        copyFileSync(join(root, 'scenarios', name), join(folder, to, name));
  }
  await writeNamedBlocks(text, folder);
  await shortenScenarios(folder);
  const talks = readFileSync(join(root, 'docs/datasets/talks.jsonl'));
  const sample = join(root, 'results/baseline');
  const [result = ''] = await readdir(sample);
  for (const name of ['export.json', ...(text.includes('--to talks.jsonl') ? [] : ['talks.jsonl'])])
    await writeFile(join(folder, name), talks);
  await writeFile(join(folder, 'request.sh'), '');
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(openapi()));
  await writeFile(join(folder, 'tickets.csv'), 'Case,Question,Answer\n1,Where is it?,On its way.\n');
  await writeFile(join(folder, 'chats.csv'), 'thread,author,text\n1,customer,Where is it?\n');
  await writeFile(join(folder, 'trace.csv'), traceText);
  await writeFile(join(folder, 'access.csv'), traceText.replace('Timestamp', 'time').replace('Session ID', 'user'));
  for (const name of ['results', 'nightly', 'docs/fleet']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'train.jsonl'), talks);
  for (const name of ['peak', 'v1', 'v2'].filter((each) => text.includes(`results/${each}.json`)))
    copyFileSync(join(sample, result), join(folder, 'results', `${name}.json`));
  const [, journal] = /recover (results\/[\w-]+\.ndjson)/.exec(shellScript(text)) ?? [];
  if (journal !== undefined) await leaveJournal(folder, journal);
  return folder;
}

/** Describes the chat completions of the service. */
const openapi = (): object => ({
  openapi: '3.1.0',
  servers: [{ url: service.baseUrl }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/v1/chat/completions': {
      post: {
        operationId: 'chat',
        requestBody: {
          content: {
            'application/json': {
              example: { model: embeddedDefaults.agentId, messages: [{ role: 'user', content: 'Hello' }] },
            },
          },
        },
      },
    },
  },
});

/** A second of traffic in the form of BurstGPT: 30 sessions of two turns. */
const traceText = `Timestamp,Session ID,Model,Request tokens,Response tokens,Total tokens,Log Type\n${Array.from(
  { length: 60 },
  (_, at) => `${String(at / 60)},s${String(at % 30)},ChatGPT,20,10,30,Conversation log`,
).join('\n')}\n`;

async function leaveJournal(folder: string, name: string): Promise<void> {
  await performCommand(
    ['run', 'scenarios/smoke.ts', '--duration', '1s', '--out', 'kept', '--keep-journal'],
    {},
    folder,
  );
  const [journal = ''] = (await readdir(join(folder, 'kept'))).filter((each) => each.endsWith('.ndjson'));
  await writeFile(join(folder, name), await readFile(join(folder, 'kept', journal)));
}

/** Makes the scenarios of a folder end within a second or so. */
async function shortenScenarios(folder: string): Promise<void> {
  for (const from of ['.', 'scenarios'])
    for (const name of existsSync(join(folder, from)) ? await readdir(join(folder, from)) : []) {
      if (!name.endsWith('.ts')) continue;
      const path = join(folder, from, name);
      const text = readFileSync(path, 'utf8')
        .replace(/^( *)sessions: \d+/m, '$1sessions: 4')
        .replace(/\bduration: '\w+'/g, "duration: '1s'")
        .replace(/\b(warmUp|rampUp): '\w+'/g, "$1: '0s'")
        .replace(/\bthinkTime: (\{[^}]*\}|'\w+')/, "thinkTime: '10ms'")
        .replace(/\bmedian: '\w+'/g, "median: '10ms'")
        // Free ports instead of fixed ones.
        .replace('127.0.0.1:9010', `127.0.0.1:${String(await unusedPort())}`)
        .replace(/^ {2}model: \{( port: 9009,)?/m, '  model: { port: 0,');
      // The reference service requires its key, also on this machine; an agent that a scenario starts does not.
      writeFileSync(path, text.includes('start: [') ? text : text.replace(/^ *auth: 'none',.*\n/m, ''));
    }
}
