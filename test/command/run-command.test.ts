import { percentileText } from '../../src/report/words/measured-text.ts';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonSchemaOf } from '../../docs/json-schema.ts';
import { startService, type RunningService } from '../../src/reference-service/start.ts';
import { formatCount, formatMs } from '../../src/base/format.ts';
import type { Result } from '../../src/result/result.ts';
import { embeddedDefaults, embeddedOptions, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { hurried } from '../support/hurried.ts';
import { makeFolder, readResult, root, runCommand, writeScenario, type Ended } from '../support/command.ts';

const escape = String.fromCharCode(27);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validate = ajv.compile(jsonSchemaOf('result'));
const schemaErrors = (result: unknown) => (validate(result) ? [] : validate.errors);

const faulty: EmbeddedOptions = {
  latency: { median: '20ms', sigma: 0.4 },
  faults: [
    { kind: 'rate_limited', share: 0.05, retryAfter: '0s' },
    { kind: 'provider', share: 0.03 },
    { kind: 'reset', share: 0.02 },
    { kind: 'http', status: 404, share: 0.02 },
    { kind: 'malformed', share: 0.02 },
  ],
};
let service: RunningService;
beforeAll(async () => {
  service = await startService(embeddedOptions.parse(faulty), { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await service.close();
});

const messages = "variableValues: { customerName: 'Ada', orderNumber: 4 }, messages: ['Hello', 'And now?']";
/** A second or two, with failures of several kinds, retries, all positions up to 5-8 and gates of every unit. */
const short = (gates: string, more = ''): string => `{
  name: 'short run', seed: 7, sessions: 250, turns: { min: 2, max: 6 }, load: { concurrency: 20 }, timeout: '15s',
  embedded: ${JSON.stringify(faulty)},
  retry: { one: { maxAttempts: 3, base: '5ms' }, two: { maxAttempts: 2, base: '1ms' } }, objective: '1s',
  ${messages}, gates: { ${gates} }, ${more}
}`;
const passing = `'turn.p95': '< 30s', 'turns.failedShare': '< 50%', 'rates.turnsPerSecond': '> 0.1/s',
  'retries.amplification': '< 3', 'outcomes.ok.count': '> 10', validity: '>= invalid'`;

/** A gate that the few turns of a small run can pass too. */
const easy = "'turns.ok': '> 0'";

/** So little load that the service at work in this process does not make the generator late. */
const few = ['--sessions', '6', '--concurrency', '2'];

type Run = (words?: readonly string[], env?: Record<string, string>) => Promise<Ended>;

interface Place {
  folder: string;
  /** Runs the scenario in this process against the service in it, which takes a fifth of the time of two others. */
  run: Run;
  /** Runs it by the built command, whose streams and environment are its own. */
  start: Run;
  result: () => Promise<Result>;
}

/** A folder with a scenario in it, and the command run there. */
async function place(scenario: string, { baseUrl }: { baseUrl: string } = service): Promise<Place> {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const all = (words: readonly string[]): string[] => ['run', 'scenario.mjs', '--out', 'out', ...words];
  return {
    folder,
    run: (words = [], env = {}) =>
      performCommand(
        [...all(words), '--base-url', baseUrl, '--agent-id', embeddedDefaults.agentId],
        { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey, ...env },
        folder,
      ),
    start: (words = [], env = {}) => runCommand(all(words), { cwd: folder, env }),
    result: () => readResult(join(folder, 'out')),
  };
}

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');
/** Lines beyond 80 columns; the verdict is one line however long its reason is. */
const tooWide = (text: string): string[] =>
  linesOf(text).filter((line) => line.length > 80 && !/^(PASSED|FAILED|INVALID)\b/.test(line));

describe('a run that passes its gates', () => {
  let ended: Ended;
  let result: Result;
  let names: string[];

  beforeAll(async () => {
    const { folder, start, result: read } = await place(short(passing));
    ended = await start(['--label', 'first try']);
    names = await readdir(join(folder, 'out'));
    result = await read();
  });

  test('exits 0', () => expect(ended.code).toBe(0));

  test('writes one file, named after scenario, start and label', () => {
    const start = result.run.startedAt.replace(/\.\d+/, '').replace(/[-:]/g, '');
    expect(names).toEqual([`short-run-${start}-first-try.json`]);
    expect(result.run.label).toBe('first try');
  });

  test('writes a document that conforms to its schema, with consistent counts', () => {
    expect(schemaErrors(result)).toEqual([]);
    expect([result.books.balanced, result.books.broken]).toEqual([true, []]);
    expect(result.books.sessions.planned).toBe(250);
  });

  test('covers several classes, retries, positions, and a gate of every unit', () => {
    const { attempts } = result.outcomes;
    for (const name of ['ok', 'rate_limited', 'provider_error', 'connection_lost', 'not_found', 'malformed'] as const)
      expect(attempts[name], name).toBeGreaterThan(0);
    expect(result.retries.retries).toBeGreaterThan(0);
    expect(result.positions.filter(({ count }) => count > 0).map(({ position }) => position)).toEqual([
      '1',
      '2',
      '3-4',
      '5-8',
    ]);
    expect(result.gates.map(({ unit, verdict }) => `${unit} ${verdict}`)).toEqual(
      ['ms', 'share', 'perSecond', 'ratio', 'count', 'verdict', 'count'].map((unit) => `${unit} pass`),
    );
  });

  test('prints without colours and within 80 columns if there is no terminal', () => {
    expect(ended.stdout).not.toContain(escape);
    expect(tooWide(ended.stdout)).toEqual([]);
  });

  test('prints the same figures for turns as the document', () => {
    const lines = linesOf(ended.stdout);
    const at = lines.findIndex((line) => line.startsWith('turn  '));
    const { turn } = result.latency;
    const cells = (name: string, row: typeof turn.ok): string[] => [
      name,
      formatCount(row.count),
      ...(['p50Ms', 'p90Ms', 'p95Ms', 'p99Ms', 'p999Ms'] as const).map((key) => percentileText(row, key)),
      formatMs(row.maxMs),
    ];
    // On a busy machine figures are doubtful and wider, and a narrow table omits some.
    const shown = lines.slice(at, at + 3).map((line) => line.trim().split(/ {2,}| (?=[~\d-])/));
    const known = [cells('turn', turn), cells('ok', turn.ok), cells('failed', turn.failed)];
    shown.forEach((row, index) => {
      expect(known[index]).toEqual(expect.arrayContaining(row));
      expect(row).toEqual(expect.arrayContaining(known[index]?.slice(0, 3) ?? []));
    });
    expect(turn.p99Ms).not.toBeNull();
  });

  test('ends with the result path and the verdict; standard error has nothing but progress', () => {
    expect(linesOf(ended.stdout).at(-2)).toBe(`result    out/${names[0] ?? ''}`);
    expect(linesOf(ended.stdout).at(-1)).toMatch(/^PASSED(, but degraded: .+)?$/);
    // A slow machine needs more than the 5 s after which progress is printed.
    expect(ended.stderr.replaceAll(/^\d+ s \| .*\n(?: {2}.*\n)*/gm, '')).toBe('');
  });
});

describe('the output', () => {
  test('a run that is cut short with a warm-up and failures stays within 80 columns', async () => {
    const cut = "sessions: 100000, duration: '900ms', warmUp: '300ms', gracePeriod: '1ms', turns: { min: 4, max: 60 }";
    const { run, result } = await place(short(passing, cut));
    const { stdout } = await run();
    const { turns } = (await result()).books;
    expect([turns.skipped_prior_failure, turns.skipped_run_end, turns.aborted].map((count) => count > 0)).toEqual([
      true,
      true,
      true,
    ]);
    expect(tooWide(stdout)).toEqual([]);
  });

  test('--json prints the document of the file and nothing else', async () => {
    const { run, result } = await place(short(easy));
    const { code, stdout, stderr } = await run(['--json', ...few]);
    expect(JSON.parse(stdout)).toEqual(await result());
    expect([code, stderr]).toEqual([0, '']);
  });

  test('--quiet prints the result path and the verdict, and nothing else', async () => {
    const { folder, run } = await place(short(easy));
    const { code, stdout, stderr } = await run(['--quiet', ...few]);
    const [name = ''] = await readdir(join(folder, 'out'));
    expect([code, stderr]).toEqual([0, '']);
    const [target, result, verdict] = stdout.split('\n');
    expect(target).toBe(`target    ${service.baseUrl}, chat-messaging, agent agent-support`);
    expect(result).toBe(`result    out/${name}`);
    expect(verdict).toMatch(/^PASSED(, but degraded: .+)?$/);
  });
});

const hasPseudoTerminal = spawnSync('script', ['--version']).status === 0;

describe(`on a terminal (${hasPseudoTerminal ? 'a pseudo-terminal' : 'none here: the line mode'})`, () => {
  const show = (folder: string, env: Record<string, string>): string => {
    const inner = `stty cols 80 rows 30; exec "${process.execPath}" "${join(root, 'dist/cli/main.js')}" run scenario.mjs --out out`;
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(CHAT_LOAD_|NO_COLOR|FORCE_COLOR|COLUMNS)/.test(name),
    );
    const around = { ...Object.fromEntries(inherited), TERM: 'xterm-256color', SHELL: '/bin/sh', ...env };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return spawnSync('script', ['-qec', inner, '/dev/null'], { cwd: folder, env: around, stdio: [...stdio] })
      .stdout.toString()
      .replaceAll('\r', '');
  };

  test('a block is redrawn in place, or lines are written if no terminal is available', async () => {
    const { folder, start } = await place(short(passing));
    if (!hasPseudoTerminal) return expect((await start()).stderr).not.toContain(escape);
    const shown = show(folder, {});
    expect(shown).toMatch(/sessions {2}\d+ live, \d+ of 250 done/);
    expect(shown).toContain(`${escape}[1A`);
    expect(shown.lastIndexOf(`${escape}[?25h`)).toBeGreaterThan(shown.lastIndexOf(`${escape}[?25l`));
    expect(shown).toContain(`${escape}[36m`);
    expect(tooWide(stripVTControlCharacters(shown))).toEqual([]);
    // A machine that is too busy ends with another verdict.
    expect(stripVTControlCharacters(shown).split('\n').slice(-3).join('\n')).toMatch(
      /^result {4}out\/short-run-\w+\.json\n(PASSED|INVALID).*\n$/,
    );
  });

  test('NO_COLOR disables colours, even with FORCE_COLOR, but not the block', async () => {
    const env = { NO_COLOR: '1', FORCE_COLOR: '1' };
    const { folder, start } = await place(short(passing));
    if (!hasPseudoTerminal) return expect((await start([], env)).stdout).not.toContain(escape);
    const shown = show(folder, env);
    expect(shown).toContain(`${escape}[1A`);
    // Only cursor movements remain: no sequence that ends in m sets a colour.
    expect(shown.split(escape).filter((part) => /^\[[\d;]*m/.test(part))).toEqual([]);
  });
});

describe('gates and options', () => {
  test('a gate that fails exits 1 and is named, also with --quiet', async () => {
    const { run } = await place(short(`'turn.p50': '< 1ms', 'turns.failedShare': '< 99%'`));
    const loud = await run(few);
    const quiet = await run([...few, '--quiet']);
    expect([loud.code, quiet.code]).toEqual([1, 1]);
    expect(loud.stdout).toMatch(/^FAIL +turn\.p50 +< 1ms +\d/m);
    expect(loud.stdout).toMatch(/^pass +turns\.failedShare/m);
    for (const { stdout } of [loud, quiet])
      expect(linesOf(stdout).at(-1)).toMatch(/^FAILED: turn\.p50 < 1ms was \d.+$/);
    expect(linesOf(quiet.stdout)).toHaveLength(3);
  });

  test('a gate without data exits 1 and is reported', async () => {
    const { run, result } = await place(short(`'turn.p99': '< 1h'`));
    const { code, stdout } = await run(['--sessions', '5']);
    expect([code, (await result()).gates[0]?.verdict]).toEqual([1, 'no-data']);
    expect(stdout).toMatch(/^NO DATA +turn\.p99/m);
  });

  test('flags override the environment, which overrides the file, and the document lists the sources', async () => {
    const { run, result } = await place(short(passing));
    const env = { CHAT_LOAD_SESSIONS: '9', CHAT_LOAD_CONCURRENCY: '2', CHAT_LOAD_LABEL: 'from env' };
    await run(['--sessions', '30', '--seed', '11'], env);
    const { scenario, books, concurrency, run: facts } = await result();
    const { options } = scenario.plan;
    expect(['sessions', 'seed', 'load.concurrency', 'timeout', 'gracePeriod'].map((name) => options[name])).toEqual([
      { value: 30, from: 'flag' },
      { value: 11, from: 'flag' },
      { value: 2, from: 'environment' },
      { value: '15s', from: 'file' },
      { value: '30s', from: 'default' },
    ]);
    expect([scenario.seed, books.sessions.planned, concurrency.sessions.max, facts.label]).toEqual([
      11,
      30,
      2,
      'from env',
    ]);
  });
});

describe('a wrong API key', () => {
  const key = 'sk-wrong-0123456789';

  /** A wrong key ends the run with a whole document, and shows nowhere. */
  async function expectStopped({ folder, run, result }: Place, env: Record<string, string>): Promise<void> {
    const ended = await run([], env);
    const document = await result();
    expect([ended.code, document.run.status, document.books.balanced]).toEqual([3, 'stopped', true]);
    expect(schemaErrors(document)).toEqual([]);
    expect(document.outcomes.createAttempts.unauthorized).toBeGreaterThan(0);
    expect(ended.stderr).toContain('rejected the API key or token');
    const names = await readdir(join(folder, 'out'));
    const files = await Promise.all(names.map((name) => readFile(join(folder, 'out', name), 'utf8')));
    for (const text of [ended.stdout, ended.stderr, ...names, ...files]) expect(text).not.toContain(key);
  }

  test.each(['environment', 'file'])('from the %s stops the run and is shown nowhere', async (from) => {
    const isInFile = from === 'file';
    const there = await place(short(passing, isInFile ? `target: { apiKey: '${key}' }` : ''));
    // Empty variables are ignored.
    await expectStopped(there, { CHAT_LOAD_API_KEY: isInFile ? '' : key });
  });

  test('is hidden if the service repeats it in its error', async () => {
    const server = createHttpServer((_, reply) => {
      reply
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: `No such key: ${key}` }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    try {
      await expectStopped(await place(short(passing), { baseUrl }), { CHAT_LOAD_API_KEY: key });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('plan and help', () => {
  test('plan opens no connection, as text or as JSON', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const words = ['plan', 'scenarios/peak.ts', '--base-url', baseUrl, '--agent-id', 'a1'];
    const env = { CHAT_LOAD_API_KEY: 'sk-plan-0123456789' };
    try {
      const text = await performCommand(words, env, root);
      const json = await performCommand([...words, '--json'], env, root);
      expect([text.code, json.code, connections]).toEqual([0, 0, 0]);
      expect(text.stdout).toContain('Nothing was sent.');
      expect(JSON.parse(json.stdout)).toMatchObject({
        plan: { name: 'peak', sessions: 400, target: { baseUrl, agentId: 'a1' } },
      });
      expect(text.stdout + json.stdout + text.stderr + json.stderr).not.toContain(env.CHAT_LOAD_API_KEY);
    } finally {
      server.close();
    }
  });

  test.each(['run', 'plan', 'serve'])('%s --help shows examples', async (name) => {
    const { code, stdout, stderr } = await performCommand([name, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\nExamples:\n {2}# .+\n {2}chat-load /);
    expect(tooWide(stdout)).toEqual([]);
  });

  test('the examples of plan --help work', async () => {
    for (const words of ['plan scenarios/peak.ts', 'plan scenarios/soak.ts --rate 20 --reply-time 2s']) {
      const { code, stderr } = await performCommand(words.split(' '), {}, root);
      expect([words, code, stderr]).toEqual([words, 0, '']);
    }
  });
});

describe('the shipped scenarios', async () => {
  const names = (await readdir(join(root, 'scenarios'))).filter((name) => name.endsWith('.ts'));

  test.each(names)('%s can be planned', async (name) => {
    const env = { CHAT_LOAD_BASE_URL: 'http://127.0.0.1:9', CHAT_LOAD_AGENT_ID: 'a', CHAT_LOAD_API_KEY: 'k' };
    const { code, stdout, stderr } = await performCommand(['plan', `scenarios/${name}`], env, root);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${name.replace('.ts', '')}: plan of a run.`);
  });

  test('smoke.ts runs, and shows progress, a line every five seconds, only on standard error', async () => {
    const folder = await makeFolder();
    const words = ['run', 'scenarios/smoke.ts', '--duration', '750ms', '--out', folder];
    // The five seconds take half of one.
    const { code, stderr, stdout } = await runCommand(words, { env: hurried });
    const { run, books } = await readResult(folder);
    expect([code, run.status, books.balanced]).toEqual([0, 'completed', true]);
    expect(books.turns.ok).toBeGreaterThan(0);
    expect(stderr.replaceAll('\n  ', ' | ')).toMatch(
      /^(?:\d+ s \| sessions \d+ done, \d+ live \| (?:[\d.]+ turns\/s \| turn p50 .* \| )?ok \d+.*\n)+$/,
    );
    expect(stdout).not.toContain(' live | ');
  });
});
