import { realpathSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, root } from '../support/command.ts';
import { openService } from '../support/reference-client.ts';

const read = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8');

const readPackage = async (...path: string[]) =>
  JSON.parse(await read(...path, 'package.json')) as { type: string; devDependencies: Record<string, string> };

describe('init', () => {
  test('writes a scenario for an agent of one’s own, a package.json and a tsconfig.json, and says what comes next', async () => {
    const folder = await makeFolder();
    const { code, stdout, stderr } = await performCommand(['init', 'load'], {}, folder);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^wrote {5}load\/scenarios\/agent\.ts\nwrote {5}load\/package\.json\nwrote {5}load\/tsconfig\.json\n\nchat-load from this checkout, file:\.\..*\nfirst {5}set CHAT_LOAD_BASE_URL, .*\nnext {6}cd load\n {10}npm install\n {10}npx chat-load check scenarios\/agent\.ts\n/,
    );
    const { type, devDependencies } = await readPackage(folder, 'load');
    expect([type, Object.keys(devDependencies)]).toEqual(['module', ['@types/node', 'chat-load', 'typescript']]);
    const source = devDependencies['chat-load'] ?? '';
    expect(realpathSync(join(folder, 'load', source.replace(/^file:/, '')))).toBe(realpathSync(root));
  });

  test('overwrites nothing: it names the scenario that is there, and writes none of the others', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'scenarios'));
    await writeFile(join(folder, 'scenarios/agent.ts'), 'mine');
    const { code, stdout, stderr } = await performCommand(['init'], {}, folder);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('scenarios/agent.ts exists already')]);
    expect([await readdir(folder), await read(folder, 'scenarios/agent.ts')]).toEqual([['scenarios'], 'mine']);
  });

  test('adds a workflow to what an earlier init wrote, and says which files it kept', async () => {
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
      expect.stringContaining('performance.yml exists already'),
    ]);
  });

  test('leaves a package.json that is there alone, and says how to add chat-load to it', async () => {
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
});

test('init offers every shipped scenario, so that those which help and messages name can be had', async () => {
  const shipped = (await readdir(join(root, 'scenarios'))).map((name) => name.replace('.ts', ''));
  const { stdout } = await performCommand(['init', '--help']);
  const choices = /choices: ("agent"[^\]]*)\]/.exec(stdout)?.[1] ?? '';
  expect([...choices.matchAll(/"([\w-]+)"/g)].map(([, name]) => name).sort()).toEqual(shipped.sort());
  for (const name of await readdir(join(root, 'src/cli'))) {
    const named = (await read(root, 'src/cli', name)).matchAll(/scenarios\/([\w-]+)\.ts/g);
    for (const [, scenario] of named) expect(shipped).toContain(scenario);
  }
});

describe('the scenario that init writes', () => {
  // A seed by which one session says two messages, soon after each other.
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

  test('loads nothing while no address is set, and says so', async () => {
    const { code, stderr } = await performCommand(words, {}, root);
    expect([code, stderr]).toEqual([2, expect.stringContaining('target.baseUrl')]);
  });
});
