import { execFile, execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { makeFolder, root } from '../support/command.ts';
import { unusedPort } from '../support/http-peer.ts';

const main = join(root, 'dist/cli/main.js');
const shipped = (name: string): unknown => parse(readFileSync(join(root, 'docs/nightly', name), 'utf8'));

interface GithubJob {
  env?: Record<string, string>;
  steps: { run?: string; env?: Record<string, string> }[];
}
interface GitlabJob {
  variables: Record<string, string>;
  script: string[];
}

const { jobs } = shipped('pull-request.yml') as { jobs: Record<'load-test' | 'comment', GithubJob> };
const gitlab = shipped('gitlab-ci.yml') as Record<'load-test' | 'comment', GitlabJob>;
const scriptOf = ({ steps }: GithubJob): string => steps.flatMap(({ run }) => run ?? []).join('\n');

interface Job {
  variables: Record<string, string>;
  script: string;
}
const loadTests: Record<string, Job & { baseSha: string }> = {
  GitHub: { variables: jobs['load-test'].env ?? {}, script: scriptOf(jobs['load-test']), baseSha: 'BASE_SHA' },
  GitLab: {
    variables: gitlab['load-test'].variables,
    script: gitlab['load-test'].script.join('\n'),
    baseSha: 'CI_MERGE_REQUEST_DIFF_BASE_SHA',
  },
};

const programs: Readonly<Record<string, string>> = {
  npm: 'echo "npm $*" >> "$RECORD"',
  npx: `shift 2; exec ${process.execPath} ${main} "$@"`,
  gh: 'printf "%s\\n" "$@" > gh.txt',
};

/** Writes the programs of a runner that are not here, and returns their folder. */
async function makePrograms(): Promise<string> {
  const folder = await makeFolder();
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Runs a script as a runner does. Returns its exit code. */
async function runScript({ script, variables }: Job, cwd: string): Promise<number> {
  const path = `${await makePrograms()}${delimiter}${process.env['PATH'] ?? ''}`;
  const env = { PATH: path, HOME: cwd, RECORD: join(cwd, 'npm.txt'), ...variables };
  const words = ['-e', '-o', 'pipefail', '-c', script];
  return promisify(execFile)('bash', words, { cwd, env }).then(
    () => 0,
    (thrown: unknown) => (thrown as { code: number }).code,
  );
}

const started: string[] = [];
afterEach(() => {
  for (const file of started.splice(0).filter((each) => existsSync(each)))
    process.kill(Number(readFileSync(file, 'utf8')));
});

/** Makes a repository with two commits: an agent that the job starts, and a scenario. Returns the first commit. */
async function makeRepository(folder: string): Promise<string> {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...words], { cwd: folder }).toString();
  await mkdir(join(folder, 'scenarios'));
  writeFileSync(
    join(folder, 'scenarios/smoke.ts'),
    `export default { name: 'checked', sessions: 5, turns: 2, messages: ['Hi'], load: { concurrency: 5 }, target: { agentId: '${embeddedDefaults.agentId}' } };\n`,
  );
  writeFileSync(join(folder, 'agent.sh'), `echo $$ > pid\nexec ${process.execPath} ${main} serve --port "$PORT"\n`);
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'base');
  const base = git('rev-parse', 'HEAD').trim();
  git('commit', '--quiet', '--allow-empty', '-m', 'head');
  return base;
}

test.each(Object.entries(loadTests))('the job of %s compares the agent with the one of its base', async (_, job) => {
  const folder = await makeFolder();
  started.push(join(folder, 'pid'), join(folder, 'base/pid'));
  const [base, first, second] = [await makeRepository(folder), await unusedPort(), await unusedPort()];
  const withPorts = (text: string): string => text.replaceAll('8001', String(first)).replaceAll('8002', String(second));
  const variables = {
    ...Object.fromEntries(Object.entries(job.variables).map(([name, value]) => [name, withPorts(value)])),
    START: 'bash agent.sh',
    PAIRS: '1',
    CHAT_LOAD_API_KEY: embeddedDefaults.apiKey,
    [job.baseSha]: base,
  };
  // The verdict of one short pair is noise.
  expect([0, 1, 4]).toContain(await runScript({ script: withPorts(job.script), variables }, folder));
  expect(readFileSync(join(folder, 'npm.txt'), 'utf8')).toBe('npm ci --ignore-scripts\n'.repeat(2));
  expect(readFileSync(join(folder, 'reports/compare.md'), 'utf8')).toContain('### ');
  expect(readFileSync(join(folder, 'reports/compare.xml'), 'utf8')).toContain('<testcase');
  expect(existsSync(join(folder, 'reports/compare.html'))).toBe(true);
});

describe('the job that comments', () => {
  const report = '### INCONCLUSIVE\n\n$(touch pwned) `touch pwned` & "quoted" = é\n';
  const folderWithReport = async (text: string): Promise<string> => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'reports'));
    writeFileSync(join(folder, 'reports/compare.md'), text);
    return folder;
  };

  test('of GitHub passes the comparison as a file, of at most 60,000 bytes', async () => {
    const folder = await folderWithReport(report.repeat(2000));
    const variables = { NUMBER: '7', GITHUB_REPOSITORY: 'a/b', GH_TOKEN: 'token' };
    expect(await runScript({ script: scriptOf(jobs.comment), variables }, folder)).toBe(0);
    const words = 'pr comment 7 --repo a/b --edit-last --create-if-none --body-file comment.md';
    expect(readFileSync(join(folder, 'gh.txt'), 'utf8').trim().split('\n')).toEqual(words.split(' '));
    const text = readFileSync(join(folder, 'comment.md'));
    expect([text.length, report.repeat(2000).startsWith(text.toString().slice(0, 50_000))]).toEqual([60_000, true]);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  test('of GitLab sends the comparison as it is, with its token in a header', async () => {
    const received: unknown[] = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = new URLSearchParams(Buffer.concat(parts).toString()).get('body');
        received.push([request.method, request.url, request.headers['private-token'], body]);
        response.writeHead(201).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const api = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api/v4`;
    const folder = await folderWithReport(report);
    const ids = { CI_API_V4_URL: api, CI_PROJECT_ID: '1', CI_MERGE_REQUEST_IID: '2', COMMENT_TOKEN: 'token' };
    expect(await runScript({ script: gitlab.comment.script.join('\n'), variables: ids }, folder)).toBe(0);
    server.close();
    expect(received).toEqual([['POST', '/api/v4/projects/1/merge_requests/2/notes', 'token', report]]);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  test.each([scriptOf(jobs.comment), gitlab.comment.script.join('\n')])('ends without a comparison', async (script) => {
    const folder = await makeFolder();
    expect(await runScript({ script, variables: {} }, folder)).toBe(0);
    expect(existsSync(join(folder, 'gh.txt'))).toBe(false);
  });
});
