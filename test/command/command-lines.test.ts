import fc from 'fast-check';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { runCommand } from '../support/command.ts';
import { commandLines, makeCommandFolder, requireWords } from '../fuzz/command-lines.ts';

let folder = '';
let plain = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-load-lines-'));
  plain = join(folder, 'plain.mjs');
  await writeFile(plain, "export default { name: 'x', messages: ['hi'], sessions: 2 };\n");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a flag', () => {
  test.each<[string, string[], string]>([
    ['without its value', ['run', 'x.ts', '--concurrency'], '--concurrency takes a value'],
    ['with the next flag in the place of its value', ['run', 'x.ts', '--label', '--quiet'], '--label takes a value'],
    ['with an empty value', ['run', 'x.ts', '--seed', ''], '--seed is empty. Is a variable unset?'],
    ['with an empty value after =', ['run', 'x.ts', '--label='], '--label is empty. Is a variable unset?'],
    ['that is not a number', ['plan', 'x.ts', '--sessions', 'many'], "--sessions takes a number, not 'many'"],
    [
      'that is not a finite number',
      ['plan', 'x.ts', '--sessions', 'Infinity'],
      "--sessions takes a number, not 'Infinity'",
    ],
    ['that is not a number, of a command', ['trend', '--alpha', 'NaN'], "--alpha takes a number, not 'NaN'"],
    ['given twice', ['plan', 'x.ts', '--seed', '1', '--seed', '2'], '--seed is set twice'],
    ['given twice, a text', ['run', 'x.ts', '--out', 'a', '--out=b'], '--out is set twice'],
    ['that takes true or false', ['run', 'x.ts', '--quiet=maybe'], "--quiet takes true or false, not 'maybe'"],
    ['with one of a few values', ['trend', '--format', 'jsno'], "--format: unknown value 'jsno': did you mean 'json'?"],
    [
      'that is misspelt',
      ['run', 'x.ts', '--concurency', '3'],
      "unknown flag '--concurency': did you mean '--concurrency'?",
    ],
    ['with a dot', ['run', 'x.ts', '--out.a', 'b'], "unknown flag '--out.a': did you mean '--out'?"],
    ['unlike any other', ['run', 'x.ts', '--foo'], "unknown flag '--foo'.\n"],
    ['named as what every object has', ['run', 'x.ts', '--constructor'], "unknown flag '--constructor'.\n"],
    ['that is turned off', ['run', 'x.ts', '--no-quiet'], '--no-quiet: write --quiet=false'],
    ['of other tools, for users', ['run', 'x.ts', '--vus', '3'], "unknown flag '--vus': --concurrency sets"],
    ['of other tools, for a rate', ['run', 'x.ts', '--request-rate=3'], '--rate sets the new sessions per second'],
    [
      'of other tools, for requests',
      ['run', '--num-prompts', '3'],
      'a session has several turns; --max-turns limits the turns, --sessions the sessions',
    ],
    ['of other tools, for iterations', ['run', '--iterations', '3'], '--sessions sets their number'],
    ['of other tools, for connections', ['run', '--connections', '3'], '--concurrency sets'],
    ['of other tools, for threads', ['run', '--threads', '3'], '--cores sets the number of generator processes'],
    ['of other tools, for workers', ['run', '--max-workers', '3'], '--concurrency sets'],
    ['of other tools, for the target', ['try', '--target', 'u'], '--url names the service'],
    ['of other tools, for arrivals', ['run', '--arrivalRate', '3'], '--rate sets'],
    ['of other tools, for arrivals, with a dash', ['run', '--arrival-rate', '3'], '--rate sets'],
    ['of other tools, for output', ['run', '--output', 'x'], '--out sets the folder of results'],
    [
      'of other tools, for prompts',
      ['run', '--prompt', 'Hi'],
      'set messages in the scenario (chat-load init --url URL',
    ],
    ...(['u', 'c'] as const).map((flag): [string, string[], string] => [
      `of other tools, -${flag}`,
      ['run', `-${flag}`, '3'],
      '--concurrency sets',
    ]),
    ['of other tools, -r', ['run', '-r', '3'], '--rate sets'],
    ['of other tools, -t', ['run', '-t', '3'], '--duration sets the length of the run, --cores'],
    ['of other tools, -d', ['run', '-d', '30s'], '--duration sets'],
    ['of other tools, -n', ['run', '-n', '3'], '--max-turns limits the turns'],
    ['of other tools, for the service', ['plan', '--host', 'h'], '--url names the service'],
    [
      'of other tools, for turns',
      ['run', 'x.ts', '--turns', '3'],
      'set turns in the scenario (chat-load init --url URL writes one)',
    ],
    [
      'of other tools, for pauses',
      ['run', 'x.ts', '--think-time', '3s'],
      'set thinkTime in the scenario (chat-load init --url URL writes one)',
    ],
    ['of other tools, for a key', ['check', '--api-key', 'sk-1'], 'set CHAT_LOAD_API_KEY in the environment'],
    ['of the service, for two releases', ['ab', 'x.ts', '--url', 'u'], '--base and --head name the two releases'],
    ['that only other commands have', ['trend', '--vus', '3'], "unknown flag '--vus'.\n"],
    ['of an argument', ['run', 'x.ts', '--scenario', 'y.ts'], "unknown flag '--scenario'"],
    ['that takes a duration, without its unit', ['run', 'PLAIN', '--duration', '10'], "write '10s' for 10 seconds"],
    ['that takes a duration of a command', ['plan', 'PLAIN', '--reply-time', '10'], "write '10s' for 10 seconds"],
    ['that takes a duration, without a word on numbers', ['run', 'PLAIN', '--duration', '10'], 'or \'10m\', got "10"'],
    ['that takes a duration, with a space', ['run', 'PLAIN', '--duration', '2 s'], 'got "2 s": write \'2s\''],
    ['that takes a duration, in other units', ['run', 'PLAIN', '--duration', '1min'], 'got "1min": write \'1m\''],
    ['that takes a duration of a command, in other units', ['check', '--pause', '5 sec'], "not '5 sec': write '5s'"],
    [
      'of a part that is misspelt',
      ['dataset', 'inspct', 'a.csv'],
      "unknown subcommand 'inspct': did you mean 'inspect'?\nSee",
    ],
    ['of the other part', ['dataset', 'inspect', 'a.csv', '--redact'], 'it is a flag of dataset convert'],
    ['that requires another', ['serve', '--completions-url', 'u'], '--completions-url requires --completions-model'],
    ['of a pause without its unit', ['check', '--pause', '2'], "write '2s' for 2 seconds"],
  ])('%s exits with 2 and a remedy', async (_, words, said) => {
    const { code, stderr } = await performCommand(words.map((word) => (word === 'PLAIN' ? plain : word)));
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  });

  test('may be repeated if it accepts several values', async () => {
    const { stderr } = await performCommand(['check', '--only', 'memory', '--only', 'nonsense']);
    expect(stderr).toContain("--only: unknown rule 'nonsense'");
    const hosts = ['--allow-host', 'a.example', '--allow-host', 'b.example'];
    const { stdout } = await performCommand(['plan', ...hosts, plain, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ plan: { allowHosts: ['a.example', 'b.example'] } });
  });

  test('takes a value that starts with a dash, after = or as a number', async () => {
    const { stderr } = await performCommand(['plan', plain, '--seed', '-1']);
    expect(stderr).toContain('--seed: ');
    expect((await performCommand(['plan', plain, '--seed=7'])).code).toBe(0);
  });

  test('with an empty environment variable is treated as unset', async () => {
    const empty = { CHAT_LOAD_OUT: '', CHAT_LOAD_LABEL: '', CHAT_LOAD_SEED: '' };
    expect((await performCommand(['run', plain, '--dry-run', '--out', folder], empty)).code).toBe(0);
  });
});

describe('the referenced help page', () => {
  test.each<[string[], string]>([
    [['run'], 'chat-load run --help'],
    [['run', 'x.ts', '--nonsense'], 'chat-load run --help'],
    [['recover'], 'chat-load recover --help'],
    [['rnu'], 'chat-load --help'],
    [['version'], 'chat-load --help'],
    [[], 'chat-load --help'],
  ])('after %j is %s', async (words, page) => {
    const { code, stderr } = await performCommand(words);
    expect(stderr).toContain(`See ${page}.`);
    expect(code).toBe(2);
  });

  test('names the missing argument, as written', async () => {
    expect((await performCommand(['run'])).stderr).toContain(
      'missing argument: <scenario>, or --url URL to load a service without a scenario file',
    );
    expect((await performCommand(['ab'])).stderr).toContain(
      'missing argument: <scenario>\nFor example: chat-load init --example smoke && chat-load ab scenarios/smoke.ts\n',
    );
    expect((await performCommand(['recover'])).stderr).toContain('missing argument: <journal>');
    expect((await performCommand(['dataset'])).stderr).toContain('missing argument: <inspect|convert>');
  });

  test('for version refers to --version', async () => {
    expect((await performCommand(['version'])).stderr).toContain(
      "unknown command 'version': --version shows the version",
    );
  });

  test.each([
    ['help', 'run'],
    ['run', 'help'],
    ['run', '--help'],
    ['help', 'run', '--quiet'],
  ])('is the help of run for %s %s', async (...words) => {
    const { code, stdout } = await performCommand(words);
    expect(stdout).toContain('chat-load run [scenario]');
    expect(code).toBe(0);
  });

  test('shows all commands for help alone, and an error for an unknown command', async () => {
    expect((await performCommand(['help'])).stdout).toMatch(/^plan {7}Show what a run would do/m);
    for (const words of [
      ['help', 'rnu'],
      ['rnu', '--help'],
    ]) {
      const { code, stderr } = await performCommand(words);
      expect(stderr).toContain("unknown command 'rnu': did you mean 'run'?");
      expect(code).toBe(2);
    }
  });
});

describe('the built command', () => {
  // The command lines of the fuzz suite, in separate processes: this shows their effects on the process.
  const [seed, count] = [20_260_102, 3];

  test(`ends any command line with a message and a code from 0 to 4 (seed ${String(seed)})`, async () => {
    const cwd = makeCommandFolder();
    await mkdir(join(cwd, 'results'));
    for (const { words, env } of fc.sample(commandLines, { seed, numRuns: count }))
      requireWords(await runCommand(words, { cwd, env }));
  });
});

describe('run refuses', () => {
  const min = "name: 'x', messages: ['hi'], sessions: 2";
  const elsewhere = "target: { baseUrl: 'http://agent.invalid', apiKey: 'k', agentId: 'a' }";

  test.each([
    ['a gate on an unknown metric', `${min}, gates: { 'turn.p59': '< 1s' }`, "did you mean 'turn.p5"],
    ['a gate that is not a condition', `${min}, gates: { 'turn.p95': 'fast' }`, 'expected a condition'],
    [
      'an abort gate that cannot be judged in between',
      `${min}, gates: { validity: { gate: '>= valid', abort: true } }`,
      'gates.validity',
    ],
    ['a host that nobody allowed', `${min}, ${elsewhere}`, '--allow-host agent.invalid'],
    ['a missing key', `${min}, target: { baseUrl: 'http://127.0.0.1:9', agentId: 'a' }`, 'CHAT_LOAD_API_KEY'],
  ])('%s, plan refuses with the same message', async (name, fields, said) => {
    // A file for each, since modules are loaded once.
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, `export default { ${fields} };\n`);
    const run = await performCommand(['run', file, '--out', folder, '--dry-run']);
    const plan = await performCommand(['plan', file]);
    expect(run.stderr).toContain(said);
    expect([plan.code, plan.stderr, plan.stdout]).toEqual([2, run.stderr, '']);
  });
});

/** Names of the commands that the page of all commands lists. */
const namesOn = (page: string): string[] =>
  [...(page.split('\nOptions:')[0] ?? '').matchAll(/^([a-z]+) +[A-Z]/gm)].map(([, name = '']) => name);

test('without arguments, the commands are listed in groups', async () => {
  const { code, stdout, stderr } = await performCommand([]);
  const lines = stderr.trimEnd().split('\n');
  expect([code, stdout, lines.length <= 24, lines.every((line) => line.length <= 80)]).toEqual([2, '', true, true]);
  const { stdout: page } = await performCommand(['--help']);
  expect(lines.slice(1, -1).map((line) => line.slice(12).split(' ')[0])).toEqual(namesOn(page));
  expect(lines[1]).toMatch(/^Get started init {7}Write a scenario/);
});

describe('the page of run', () => {
  const flagsIn = (page: string): string[] =>
    [...page.matchAll(/^ +(?:-\w, )?--([\w-]+)/gm)].map(([, name = '']) => name);

  test('has the flags that people use, and all others with --help-all', async () => {
    const { code, stdout } = await performCommand(['run', '--help']);
    const used = ['url', 'model', 'agent-id', 'protocol', 'stream', 'concurrency', 'rate', 'sessions', 'duration'];
    expect([code, flagsIn(stdout)]).toEqual([0, [...used, 'label', 'report', 'out', 'help', 'version', 'help-all']]);
    const all = await performCommand(['run', '--help-all']);
    expect(all.code).toBe(0);
    const flags = flagsIn(all.stdout);
    expect(flags).toEqual(expect.arrayContaining(['cores', 'timeout', 'base-url', 'input-tokens', 'dry-run']));
    expect(new Set(flags).size).toBe(flags.length);
  });

  test.each(['plan', 'try', 'check', 'calibrate', 'capacity', 'ab'])(
    'of %s hides only the overrides of a scenario',
    async (name) => {
      const short = flagsIn((await performCommand([name, '--help'])).stdout);
      const all = flagsIn((await performCommand(['help', name, '--help-all'])).stdout);
      expect(short).toEqual(expect.arrayContaining(['protocol', 'agent-id']));
      expect([short.includes('proxy'), all.includes('proxy')]).toEqual([false, true]);
    },
  );
});

describe('an example of --help', async () => {
  const { stdout } = await performCommand(['--help']);
  const names = [...namesOn(stdout), 'dataset inspect', 'dataset convert'];

  test('exists for every command', () => expect(names.length).toBe(21));

  test.each(['', ...names])('can be copied at 80 columns: %s', async (name) => {
    const { stdout: page } = await performCommand([...name.split(' ').filter((word) => word !== ''), '--help']);
    const examples = (/\nExamples:\n([^]*?)\n(?:\n|$)/.exec(page)?.[1] ?? '').split('\n');
    expect(examples.length).toBeGreaterThan(1);
    // The description is a shell comment, followed by the complete command.
    for (const [index, line] of examples.entries())
      expect(line).toMatch(index % 2 === 0 ? /^ {2}# \S/ : /^ {2}chat-load [^#]{1,70}$/);
    expect(page.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(page).not.toMatch(/[^\s([]\[(?:array|boolean|number|string)\]/);
  });

  test.each(['', ...names])('names the command that writes its scenario: %s', async (name) => {
    const { stdout: page } = await performCommand([...name.split(' ').filter((word) => word !== ''), '--help']);
    // A file that the command itself writes needs no origin, and the reader's own scenario is scenarios/agent.ts.
    const files = [...page.matchAll(/(?<!--to |writes )(?<=[\s"'])[\w/-]+\.ts\b/g)].map(([file]) => file);
    const shipped = files.filter((file) => file !== 'scenarios/agent.ts');
    for (const file of shipped) expect(file).toMatch(/^scenarios\//);
    if (shipped.length > 0) expect(page.replaceAll(/\s+/g, ' ')).toMatch(/init --example [\w-]+ (?:writes|#)/);
  });
});

test('plan forecasts no rate if the service alone sets the pace', async () => {
  const text = (await performCommand(['plan', plain])).stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain('at the peak 2 sessions live, 2 turns in flight, turns/s limited only by the service');
  expect(text).toContain('The rate of turns cannot be forecast');
  const slow = (await performCommand(['plan', plain, '--reply-time', '500ms'])).stdout;
  expect(slow.replaceAll(/\s+/g, ' ')).toContain('2 turns in flight, 2 turns/s');
  expect(JSON.parse((await performCommand(['plan', plain, '--json'])).stdout)).toMatchObject({
    forecast: { turns: 2, peakTurnsPerSecond: null },
    replySource: 'embedded',
  });
});

test.each([
  ['run', 'scenarios/smoke.ts', 'peak.json'],
  ['ab', 'scenarios/smoke.ts', 'night.HTML'],
  ['capacity', 'scenarios/smoke.ts', 'knee.md'],
  ['recover', 'soak.ndjson', 'soak.ndjson'],
])('%s takes no file as its folder of results', async (command, of, out) => {
  const { code, stderr } = await performCommand(
    [command, of, '--out', out, '--base', 'a', '--head', 'b'].slice(0, command === 'ab' ? 8 : 4),
  );
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`error --out names a folder, but ${out} looks like a file.`),
  ]);
});

test('plan shows the command of the agent, and assumes replies as slow as the model calls of a turn', async () => {
  const text = (await performCommand(['plan', 'scenarios/inside.ts'])).stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain('agent started for the run: node inside-agent.mjs');
  expect(text).toContain('the agent is started with OPENAI_BASE_URL=');
  // Two calls per turn, each with a mean of 150 ms · exp(0.3² / 2).
  expect(text).toContain('assuming replies of 314 ms (model.latency of the calls of a turn');
  const document = JSON.parse((await performCommand(['plan', 'scenarios/inside.ts', '--json'])).stdout) as object;
  expect(document).toMatchObject({ start: ['node', 'inside-agent.mjs'], replySource: 'model' });
});

test.each(['run', 'ab', 'capacity', 'nightly', 'check'])(
  'the help of %s has every exit code that it ends with',
  async (command) => {
    const { stdout } = await performCommand([command, '--help']);
    const codes = stdout.slice(stdout.indexOf('Exit codes: ')).replaceAll(/\s+/g, ' ');
    for (const code of ['0 ', '1 ', '2 ', '3 ', '4 ', '70 a bug', '129, 130, 143 a signal'])
      expect(codes).toContain(code);
  },
);
