import { spawn } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, root, writeScenario, type Ended } from './command.ts';

let folder: string;

/** The script as it is copied into somebody's repository, with the built command where npm would have put it. */
async function night(env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(join(folder, 'nightly.sh'), {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      SCENARIO: 'scenario.ts',
      RUNS: '3',
      HEAD_URL: 'embedded',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

const readReport = (name: string): Promise<string> => readFile(join(folder, 'reports', name), 'utf8');
const results = async (): Promise<string[]> =>
  (await readdir(join(folder, 'results/nightly'))).filter((name) => name !== 'history.json');

beforeAll(async () => {
  folder = await makeFolder();
  await copyFile(join(root, 'docs/nightly/nightly.sh'), join(folder, 'nightly.sh'));
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  const command = join(folder, 'node_modules/.bin/chat-load');
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'dist/cli/main.js')}" "$@"\n`);
  await chmod(command, 0o755);
  await writeScenario(folder, `{ name: 'night', sessions: 30, turns: 2, load: { concurrency: 10 }, messages: ['Hi'] }`);
});

describe('the nightly script', () => {
  test('says on the first night how to keep it as the baseline', async () => {
    const { code, stdout } = await night();
    expect([code, (await results()).length]).toEqual([0, 3]);
    expect(stdout).toContain('There is no baseline in results/baseline yet.');
    expect(JSON.parse(await readFile(join(folder, 'results/nightly/history.json'), 'utf8'))).toMatchObject({
      kind: 'chat-load/history',
    });
  });

  test('compares the second night with the baseline, and leaves its reports', async () => {
    await mkdir(join(folder, 'results/baseline'), { recursive: true });
    for (const name of await results())
      await cp(join(folder, 'results/nightly', name), join(folder, 'results/baseline', name));
    const { code, stdout, stderr } = await night();
    // A busy machine may make a run of doubtful validity or a real difference: the job tells each by its own code.
    expect([0, 1, 4], stdout + stderr).toContain(code);
    expect(await readReport('compare.md')).toMatch(/^### (UNCHANGED|INCONCLUSIVE|IMPROVED|REGRESSED|NOT COMPARABLE)/);
    expect(await readReport('compare.xml')).toContain('<testsuite');
    expect(await readReport('trend.md')).toContain('night');
    expect(await results()).toHaveLength(6);
  });

  test('does nothing where it is not told which release it is about', async () => {
    const before = await results();
    const { code, stderr } = await night({ HEAD_URL: '' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('HEAD_URL is not set')]);
    expect(await results()).toEqual(before);
  });

  test('passes on that there is no target', async () => {
    const { code, stderr } = await night({ HEAD_URL: 'http://127.0.0.1:9', AGENT_ID: 'a', CHAT_LOAD_API_KEY: 'k' });
    expect([code, stderr]).toEqual([3, expect.stringContaining('127.0.0.1:9')]);
  });
});

test('the workflow runs what the script takes', async () => {
  const workflow = await readFile(join(root, 'docs/nightly/github-actions.yml'), 'utf8');
  const script = await readFile(join(root, 'docs/nightly/nightly.sh'), 'utf8');
  for (const name of ['HEAD_URL', 'BASE_URL', 'AGENT_ID', 'SCENARIO', 'RUNS']) {
    expect(workflow).toMatch(new RegExp(`^ +${name}:`, 'm'));
    expect(script).toContain(`\${${name}:-`);
  }
});
