import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root, runCommand, writeScenario, type Ended } from '../support/command.ts';

let folder: string;

/** The test runner sets BASE_URL in the environment. Standard error of the steps is not captured here. */
const night = (env: Record<string, string>, words: readonly string[] = []): Promise<Ended> =>
  performCommand(['nightly', ...words], { SCENARIO: 'scenario.mjs', RUNS: '2', BASE_URL: '', ...env }, folder);
const embedded = { HEAD_URL: 'embedded' };

const readReport = (name: string): Promise<string> => readFile(join(folder, 'reports', name), 'utf8');
const results = async (): Promise<string[]> =>
  (await readdir(join(folder, 'results/nightly'))).filter((name) => name !== 'history.json');

/** Returns the lines in the form of the night's verdict; the output of its steps is indented. */
const verdictsIn = (stdout: string): string[] =>
  stdout.split('\n').filter((line) => /^(PASSED|INCONCLUSIVE|FAILED|INVALID)/.test(line));
const lastOf = (stdout: string): string | undefined => stdout.trimEnd().split('\n').at(-1);

beforeAll(async () => {
  folder = await makeFolder();
  await writeScenario(folder, `{ name: 'night', sessions: 30, turns: 2, load: { concurrency: 10 }, messages: ['Hi'] }`);
});

describe('the nightly job', () => {
  test.each([{}, { HEAD_URL: '' }])('sends no load as long as no release is named: %j', async (env) => {
    const { code, stderr } = await night(env);
    expect([code, stderr, await readdir(folder)]).toEqual([
      2,
      expect.stringContaining('missing option: --head URL (or HEAD_URL)'),
      ['scenario.mjs'],
    ]);
  });

  test('explains on the first night how to store the baseline, next to a sample of another machine and scenario', async () => {
    await cp(join(root, 'results/baseline'), join(folder, 'results/baseline'), { recursive: true });
    const { code, stdout } = await night(embedded);
    expect([code, (await results()).length]).toEqual([0, 2]);
    expect(stdout).toContain('3 results in results/baseline of other scenarios or targets are ignored: smoke #');
    expect(stdout).toContain('No baseline in results/baseline yet.');
    expect(verdictsIn(stdout)).toEqual(['PASSED, but no baseline to compare with']);
    expect(JSON.parse(await readFile(join(folder, 'results/nightly/history.json'), 'utf8'))).toMatchObject({
      kind: 'chat-load/history',
    });
  });

  test('compares the second night with the baseline, and leaves its reports', async () => {
    for (const name of await results())
      await cp(join(folder, 'results/nightly', name), join(folder, 'results/baseline', name));
    const { code, stdout, stderr } = await night(embedded);
    // A busy machine may make a run of doubtful validity or a real difference: the job reports each by its own code.
    expect([0, 1, 4], stdout + stderr).toContain(code);
    expect(verdictsIn(stdout)).toHaveLength(1);
    expect(lastOf(stdout)).toMatch(code === 0 ? /^(PASSED|INCONCLUSIVE: )/ : /^(FAILED|INVALID): /);
    expect(await readReport('compare.md')).toMatch(/^### (UNCHANGED|INCONCLUSIVE|IMPROVED|REGRESSED|NOT COMPARABLE)/);
    expect(await readReport('compare.xml')).toContain('<testsuite');
    expect(await readReport('trend.md')).toContain('batches of runs');
    expect(await results()).toHaveLength(4);
  });

  test('reports a missing target, whether a flag or the environment names it', async () => {
    const env = { AGENT_ID: 'a', CHAT_LOAD_API_KEY: 'k' };
    const words = ['nightly', 'scenario.mjs', '--head', 'http://127.0.0.1:9', '--runs', '1'];
    const { code, stdout, stderr } = await runCommand(words, { cwd: folder, env: { BASE_URL: '', ...env } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('127.0.0.1:9')]);
    expect(verdictsIn(stdout)).toEqual([expect.stringMatching(/^FAILED: /)]);
    const pair = await night({ ...env, HEAD_URL: 'http://127.0.0.1:9', BASE_URL: 'http://127.0.0.1:9' });
    expect(pair.code).toBe(3);
    expect(lastOf(pair.stdout)).toMatch(/^FAILED: the base: .*127\.0\.0\.1:9/);
  });

  test('ends with the cause if its runs cannot start', async () => {
    const { code, stdout } = await night({ HEAD_URL: 'http://127.0.0.1:9' });
    expect([code, lastOf(stdout)]).toEqual([
      2,
      expect.stringMatching(/^FAILED: scenario\.mjs cannot be run: .*agentId: is required.*; .*CHAT_LOAD_API_KEY/),
    ]);
  });

  test('does not run the embedded service in turn with a release', async () => {
    const { code, stderr } = await night({ ...embedded, BASE_URL: 'http://127.0.0.1:9' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot run alternately')]);
  });
});

describe('the nightly job in cron and task schedulers', () => {
  const enter = async (cwd: string): Promise<{ code: unknown; stderr: string }> => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: cwd };
    const child = spawn(process.execPath, ['nightly.mjs'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code] = (await once(child, 'close')) as unknown[];
    return { code, stderr };
  };

  test('exits with 3 if chat-load is not installed, otherwise as the job does', async () => {
    const project = await makeFolder();
    await copyFile(join(root, 'docs/nightly/nightly.mjs'), join(project, 'nightly.mjs'));
    expect(await enter(project)).toEqual({ code: 3, stderr: expect.stringContaining('is not installed here') });
    await mkdir(join(project, 'node_modules'));
    await symlink(root, join(project, 'node_modules/chat-load'));
    expect(await enter(project)).toEqual({
      code: 2,
      stderr: expect.stringContaining('missing option: --head URL (or HEAD_URL)'),
    });
  });
});

test('the workflow sets the variables of the job, and runs the scenario that init writes', async () => {
  const workflow = await readFile(join(root, 'docs/nightly/github-actions.yml'), 'utf8');
  const { stdout: help } = await performCommand(['nightly', '--help']);
  for (const name of ['HEAD_URL', 'BASE_URL', 'AGENT_ID', 'SCENARIO', 'RUNS']) {
    expect(workflow).toMatch(new RegExp(`^ +${name}:`, 'm'));
    expect(help).toContain(`[${name}]`);
  }
  expect(workflow).toContain('SCENARIO: scenarios/nightly.ts\n');
  expect(workflow).toContain('run: npx --no-install chat-load nightly\n');
});
