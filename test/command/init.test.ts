import { realpathSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { agentTarget, askAgent, type Ask } from '../../src/app/init/agent-scenario.ts';
import type { PlanView } from '../../src/report/plan/plan-document.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { protocolNames } from '../../src/protocol/registry/registry.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, root } from '../support/command.ts';
import { openService } from '../support/reference-client.ts';

const read = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8');

const readPackage = async (...path: string[]) =>
  JSON.parse(await read(...path, 'package.json')) as { type: string; devDependencies: Record<string, string> };

describe('init', () => {
  test('writes a scenario for a custom agent, a package.json and a tsconfig.json, and lists the next steps', async () => {
    const folder = await makeFolder();
    const { code, stdout, stderr } = await performCommand(['init', 'load'], {}, folder);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^wrote {5}load\/scenarios\/agent\.ts\nwrote {5}load\/package\.json\nwrote {5}load\/tsconfig\.json\nwrote {5}load\/\.gitignore\n\nsource {4}chat-load is installed from this checkout, file:\.\..*;\n {10}use another source .*\nfirst {5}set CHAT_LOAD_BASE_URL, .*\n {10}CHAT_LOAD_ALLOW_HOSTS .*\nnext {6}cd load\n {10}npm install\n {10}npx chat-load try scenarios\/agent\.ts\n {10}npx chat-load plan scenarios\/agent\.ts\n {10}npx chat-load run scenarios\/agent\.ts\n/,
    );
    const { type, devDependencies } = await readPackage(folder, 'load');
    expect([type, Object.keys(devDependencies)]).toEqual(['module', ['@types/node', 'chat-load', 'typescript']]);
    const source = devDependencies['chat-load'] ?? '';
    expect(realpathSync(join(folder, 'load', source.replace(/^file:/, '')))).toBe(realpathSync(root));
  });

  test('overwrites nothing: it names the existing scenario, and writes none of the others', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'scenarios'));
    await writeFile(join(folder, 'scenarios/agent.ts'), 'mine');
    const { code, stdout, stderr } = await performCommand(['init'], {}, folder);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('scenarios/agent.ts already exists')]);
    expect([await readdir(folder), await read(folder, 'scenarios/agent.ts')]).toEqual([['scenarios'], 'mine']);
  });

  test('adds a workflow to the files of an earlier init, and lists the kept files', async () => {
    const folder = await makeFolder();
    await performCommand(['init'], {}, folder);
    await writeFile(join(folder, 'scenarios/agent.ts'), 'mine');
    const { code, stdout, stderr } = await performCommand(['init', '--ci', 'github'], {}, folder);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n\n')[0]?.split('\n')).toEqual([
      'wrote     scenarios/nightly.ts',
      'wrote     .github/workflows/performance.yml',
      'kept      scenarios/agent.ts',
      'kept      package.json',
      'kept      tsconfig.json',
      'kept      .gitignore',
    ]);
    expect(await read(folder, 'scenarios/agent.ts')).toBe('mine');
    expect(await read(folder, '.github/workflows/performance.yml')).toContain('chat-load nightly');
  });

  test('keeps a nightly scenario, and does not overwrite a workflow', async () => {
    const folder = await makeFolder();
    await performCommand(['init', '--example', 'nightly'], {}, folder);
    await writeFile(join(folder, 'scenarios/nightly.ts'), 'mine');
    const { code, stdout } = await performCommand(['init', '--ci', 'github'], {}, folder);
    expect([code, stdout]).toEqual([0, expect.stringContaining('kept      scenarios/nightly.ts\n')]);
    expect(await read(folder, 'scenarios/nightly.ts')).toBe('mine');
    const again = await performCommand(['init', '--ci', 'github'], {}, folder);
    expect([again.code, again.stdout, again.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('performance.yml already exists'),
    ]);
  });

  test('keeps an existing package.json, and explains how to add chat-load', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'package.json'), '{}');
    const { code, stdout } = await performCommand(['init', '--example', 'retry-storm', '--ci', 'github'], {}, folder);
    expect([code, await read(folder, 'package.json')]).toEqual([0, '{}']);
    expect(stdout).toMatch(
      /\nnext {6}npm install --save-dev "?file:.*"? @types\/node typescript\n {10}npx chat-load run scenarios\/retry-storm\.ts/,
    );
    for (const name of ['retry-storm.ts', 'nightly.ts'])
      expect(await read(folder, 'scenarios', name)).toBe(await read(root, 'scenarios', name));
    expect(await read(folder, '.github/workflows/performance.yml')).toContain('chat-load nightly');
  });

  test('ignores results, journals and keys, but not the baseline', async () => {
    const folder = await makeFolder();
    await performCommand(['init'], {}, folder);
    const git = (...words: string[]) => promisify(execFile)('git', words, { cwd: folder });
    await git('init', '--quiet');
    const paths = [
      'results/a.json',
      'results/a.ndjson',
      'results/nightly/a.json',
      'reports/a.html',
      '.env',
      'talks.jsonl.chat-load-index',
    ];
    const kept = ['results/baseline/a.json', 'scenarios/agent.ts', 'package.json', 'talks.jsonl'];
    for (const path of [...paths, ...kept]) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await appendFile(join(folder, path), '');
    }
    const { stdout } = await git('status', '--porcelain', '--untracked-files=all');
    const shown = stdout.split('\n').map((line) => line.slice(3));
    expect([paths.filter((path) => shown.includes(path)), kept.filter((path) => !shown.includes(path))]).toEqual([
      [],
      [],
    ]);
  });

  test.each([
    ['node_modules\n', 'ignore    add to .gitignore: results/* !results/baseline/ reports/ .env *.chat-load-*\n'],
    ['/node_modules/\nresults/\n!results/baseline\nreports/**\n.env\n*.chat-load-*\n', ''],
  ])('does not change a .gitignore, and names the lines that it lacks: %j', async (present, note) => {
    const folder = await makeFolder();
    await writeFile(join(folder, '.gitignore'), present);
    const { stdout } = await performCommand(['init'], {}, folder);
    expect(await read(folder, '.gitignore')).toBe(present);
    expect(stdout).toContain(`kept      .gitignore\n${note}\n`);
    expect(stdout.includes('ignore ')).toBe(note !== '');
  });

  test('writes the agent that an example starts', async () => {
    const folder = await makeFolder();
    await performCommand(['init', '--example', 'inside'], {}, folder);
    for (const name of ['inside.ts', 'inside-agent.mjs'])
      expect(await read(folder, 'scenarios', name)).toBe(await read(root, 'scenarios', name));
  });
});

test.each([
  ['{"devDependencies":{"chat-load":"^0.1.0"}}', 'npm install --save-dev @types/node typescript'],
  ['{"devDependencies":{"chat-load":"^0.1.0","typescript":"*"}}', 'npm install --save-dev @types/node'],
  ['{"devDependencies":{"chat-load":"*","typescript":"*","@types/node":"*"}}', 'npm install'],
])('init names the packages that %s lacks', async (manifest, command) => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'package.json'), manifest);
  const { stdout } = await performCommand(['init', '--example', 'peak'], {}, folder);
  expect(/^next {6}(.*)$/m.exec(stdout)?.[1]).toBe(command);
});

describe('init for an API', () => {
  /** Runs init, and plans its scenario. */
  const initWith = async (words: string[], env: Record<string, string> = {}) => {
    const folder = await makeFolder();
    const { code, stdout, stderr } = await performCommand(['init', ...words], env, folder);
    expect([code, stderr]).toEqual([0, '']);
    const planned = await performCommand(['plan', 'scenarios/agent.ts', '--json'], { ...env, ...unset }, folder);
    expect([planned.code, planned.stderr]).toEqual([0, '']);
    const { plan } = JSON.parse(planned.stdout) as PlanView;
    return { folder, stdout, plan, text: await read(folder, 'scenarios/agent.ts') };
  };
  /** Environment variables that a scenario still needs. */
  const unset = { CHAT_LOAD_API_KEY: 'sk-never-written-1' };

  test('writes a streamed model on this machine, which needs no key and no variable', async () => {
    const words = ['--url', 'http://localhost:8000/v1', '--model', 'my-model', '--stream', '--protocol', 'openai-chat'];
    const { plan, text, stdout } = await initWith(words);
    expect(plan.target).toMatchObject({
      baseUrl: 'http://localhost:8000/v1',
      protocol: 'openai-chat',
      agentId: 'my-model',
      stream: true,
      auth: 'none',
    });
    expect([plan.allowHosts, text.includes('customerName'), stdout.includes('first ')]).toEqual([[], false, false]);
    expect(text).toContain('with openai-chat on http://localhost:8000/v1.');
    expect(text).not.toContain('CHAT_LOAD_BASE_URL');
    expect(stdout).toMatch(/npx chat-load try scenarios\/agent\.ts\n {10}npx chat-load plan/);
  });

  test('takes the protocol from the path of the URL, allows its host, and leaves the key to the environment', async () => {
    const words = ['--url', 'https://llm.example.com/v1/messages', '--model', "it's"];
    const { plan, text, stdout } = await initWith(words, { CHAT_LOAD_API_KEY: 'sk-never-written-1' });
    expect(plan.target).toMatchObject({
      baseUrl: 'https://llm.example.com/v1',
      protocol: 'anthropic-messages',
      agentId: "it's",
      auth: 'key',
    });
    expect([plan.allowHosts, text.includes('sk-never')]).toEqual([['llm.example.com'], false]);
    expect(stdout).toContain('first     set CHAT_LOAD_API_KEY (see scenarios/agent.ts)');
  });

  test('names every variable that the scenario and the workflow read, the allowed host too', async () => {
    const folder = await makeFolder();
    const { stdout } = await performCommand(['init', '--yes', '--ci', 'github'], {}, folder);
    const read = await readFile(join(folder, 'scenarios/agent.ts'), 'utf8');
    for (const [name] of read.matchAll(/CHAT_LOAD_[A-Z]+_[A-Z]+/g)) expect(stdout).toContain(name);
    expect(stdout).toMatch(/variables HEAD_URL, AGENT_ID and ALLOW_HOSTS/);
    const other = await makeFolder();
    await performCommand(['init', '--model', 'm'], {}, other);
    expect(await readFile(join(other, 'scenarios/agent.ts'), 'utf8')).toMatch(
      /CHAT_LOAD_BASE_URL, CHAT_LOAD_API_KEY, CHAT_LOAD_ALLOW_HOSTS\./,
    );
  });

  test('assumes chat completions for a model, and chat messaging for an agent', async () => {
    const model = await initWith(['--url', 'http://127.0.0.1:9/v1', '--model', 'm']);
    expect([model.plan.target.protocol, model.text]).toEqual(['openai-chat', expect.stringContaining('// assumed: ')]);
    const agent = await initWith(['--url', 'http://127.0.0.1:9', '--agent-id', 'a']);
    expect([agent.plan.target.protocol, agent.text]).toEqual([
      'chat-messaging',
      expect.stringContaining("// createSession: { path: '/v1/sessions'"),
    ]);
  });

  test.each<[string[], string]>([
    [['--url', 'http://h', '--model', 'm', '--protocol', 'chat-messaging'], 'Name the agent with --agent-id'],
    [['--url', 'http://h', '--stream'], 'chat-messaging has no streamed replies'],
    [['--url', 'http://u:secret-1234@h', '--model', 'm'], 'do not belong in a file'],
    [['--url', 'a service', '--model', 'm'], '--url: expected a URL such as'],
    [['--url', 'h:80', '--model', 'm'], '--url: has no scheme: did you mean https://h:80?'],
    [['--protocol', 'cohere'], 'chat-load init --protocol own'],
    [['--protocol', 'anthropic'], "did you mean 'anthropic-messages'?"],
    [['--url', 'http://h/v1/messages', '--protocol', 'openai-chat'], 'a path of anthropic-messages'],
    [['--example', 'peak', '--model', 'm'], '--example peak is a scenario with a service of its own'],
  ])('refuses %j, and writes nothing', async (words, said) => {
    const folder = await makeFolder();
    const { code, stderr } = await performCommand(['init', ...words], {}, folder);
    expect([code, stderr, await readdir(folder)]).toEqual([2, expect.stringContaining(said), []]);
    expect(stderr).not.toContain('secret-1234');
  });

  test('writes a protocol to complete for a custom API', async () => {
    const { plan, text, stdout } = await initWith(['--url', 'http://127.0.0.1:9/v1/messages', '--protocol', 'own']);
    expect(plan.target).toMatchObject({
      baseUrl: 'http://127.0.0.1:9/v1/messages',
      protocol: 'own-api',
      agentId: '',
      auth: 'none',
    });
    expect(text).toContain('const ownApi = defineProtocol({');
    expect(text).toContain('with the protocol above on http://127.0.0.1:9/v1/messages.');
    expect(text).not.toMatch(/CHAT_LOAD_BASE_URL|\n\n\n/);
    expect([stdout.includes('first '), stdout.includes('try scenarios/agent.ts')]).toEqual([false, true]);
    const streamed = await initWith(['--url', 'https://h.example', '--protocol', 'own', '--stream']);
    expect(streamed.plan.target).toMatchObject({ protocol: 'own-api', stream: true });
    expect(streamed.stdout).toContain('first     set CHAT_LOAD_API_KEY');
  });

  test.each([...protocolNames, 'own'])('writes a scenario of %s that compiles', async (protocol) => {
    const agent =
      protocol === 'own' ? [] : protocol === 'chat-messaging' ? ['--agent-id', 'a'] : ['--model', 'm', '--stream'];
    const { folder } = await initWith(['--url', 'http://127.0.0.1:9', '--protocol', protocol, ...agent]);
    await mkdir(join(folder, 'node_modules', '@types'), { recursive: true });
    await symlink(root, join(folder, 'node_modules', 'chat-load'));
    await symlink(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const compiled = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
      (thrown: unknown) => thrown,
    );
    expect(compiled).toMatchObject({ stdout: '' });
  });
});

describe('the questions of init', () => {
  const answersTo = async (...answers: string[]) => {
    const asked: string[] = [];
    const ask: Ask = (question, usual) => {
      asked.push(question);
      return Promise.resolve(answers.shift() || usual);
    };
    return { answers: await askAgent(ask, false), asked };
  };

  test('are four, each with a default: a streamed model on this machine', async () => {
    const { answers, asked } = await answersTo();
    expect(asked).toEqual([
      'URL of the service',
      expect.stringContaining('2 openai-chat'),
      'Model',
      expect.any(String),
    ]);
    expect(agentTarget(answers)).toMatchObject({ protocol: 'openai-chat', agentId: 'my-model', stream: true });
  });

  test('are repeated if the answer is unusable, and the other answers are kept', async () => {
    const { answers, asked } = await answersTo(
      'localhost:8000/v1',
      'http://localhost:8000/v1',
      '99',
      '2',
      'm',
      'maybe',
      'n',
    );
    expect(asked).toEqual([
      'URL of the service',
      'has no scheme: did you mean http://localhost:8000/v1?\nURL of the service',
      expect.stringMatching(/^Which API\?/),
      expect.stringMatching(/^unknown protocol '99'.*\nWhich API\?/),
      'Model',
      'Streamed replies? (y/n)',
      'Answer y or n.\nStreamed replies? (y/n)',
    ]);
    expect(answers).toMatchObject({ url: 'http://localhost:8000/v1', protocol: 'openai-chat', stream: false });
  });

  test('offer a custom API', async () => {
    const own = String(protocolNames.length + 1);
    const { answers, asked } = await answersTo('http://localhost:8000/chat', own, 'y');
    expect([asked.length, answers]).toEqual([
      3,
      { url: 'http://localhost:8000/chat', protocol: 'own', stream: true, hasKey: false },
    ]);
    expect(asked[1]).toContain(`${own} own, a custom API`);
  });

  test('are fewer if the URL or the API is given', async () => {
    const byPath = await answersTo('http://localhost:1/v1/responses', 'm', 'n');
    expect([byPath.asked.length, byPath.answers]).toEqual([
      3,
      {
        url: 'http://localhost:1/v1/responses',
        protocol: 'openai-responses',
        model: 'm',
        stream: false,
        hasKey: false,
      },
    ]);
    const agent = await answersTo('http://localhost:1', '1', 'a');
    expect([agent.asked.length, agent.answers]).toEqual([
      3,
      { url: 'http://localhost:1', protocol: 'chat-messaging', agentId: 'a', stream: false, hasKey: false },
    ]);
  });
});

test('init offers every shipped scenario, including all that help and messages name', async () => {
  const files = await readdir(join(root, 'scenarios'));
  const shipped = files.filter((name) => name.endsWith('.ts')).map((name) => name.replace('.ts', ''));
  const { stdout } = await performCommand(['init', '--help']);
  const choices = /choices: ("agent"[^\]]*)\]/.exec(stdout)?.[1] ?? '';
  expect([...choices.matchAll(/"([\w-]+)"/g)].map(([, name]) => name).sort()).toEqual(shipped.sort());
  for (const name of await readdir(join(root, 'src/cli'), { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const named = (await read(root, 'src/cli', name)).matchAll(/scenarios\/([\w-]+)\.ts/g);
    for (const [, scenario] of named) expect(shipped).toContain(scenario);
  }
});

describe('the scenario that init writes', () => {
  // A seed with which one session sends two messages in quick succession.
  const words = ['run', 'scenarios/agent.ts', '--sessions', '1', '--seed', '39'];

  test('runs against the agent that the environment names', async () => {
    const { baseUrl } = await openService();
    const folder = await makeFolder();
    const { apiKey: CHAT_LOAD_API_KEY, agentId: CHAT_LOAD_AGENT_ID } = embeddedDefaults;
    const env = { CHAT_LOAD_BASE_URL: baseUrl, CHAT_LOAD_AGENT_ID, CHAT_LOAD_API_KEY };
    await performCommand([...words, '--out', folder], env, root);
    const { target, books } = await readResult(folder);
    expect(target).toMatchObject({ baseUrl, embedded: false, agentId: CHAT_LOAD_AGENT_ID });
    expect(books.turns).toMatchObject({ ok: books.turns.planned, failed: 0 });
  });

  test('sends no load without an address, and reports it', async () => {
    const { code, stderr } = await performCommand(words, {}, root);
    expect([code, stderr]).toEqual([2, expect.stringContaining('target.baseUrl')]);
  });
});
