import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { shownText } from '../../src/cli/console/terminal.ts';
import { startService, type RunningService } from '../../src/reference-service/start.ts';
import { embeddedDefaults, embeddedOptions } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, runCommand } from '../support/command.ts';

const scenario = `export default { name: 'reported', sessions: 5, turns: 2, messages: ['Hi'], load: { concurrency: 5 } };\n`;

let service: RunningService;
beforeAll(async () => {
  service = await startService(embeddedOptions.parse({}), { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await service.close();
});
const target = () => ['--base-url', service.baseUrl, '--agent-id', embeddedDefaults.agentId];
const env = { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey };

async function folderWithScenario(): Promise<string> {
  const folder = await makeFolder();
  writeFileSync(join(folder, 'reported.mjs'), scenario);
  return folder;
}

test('run --report writes each format by the end of its name, and --format prints one', async () => {
  const cwd = await folderWithScenario();
  const words = ['run', 'reported.mjs', '--report', 'r.xml', '--report', 'r.md', '--report', 'r.hlog'];
  const { code, stdout } = await performCommand([...words, ...target(), '--format', 'csv'], env, cwd);
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toMatch(/^startMs,lengthMs,warmUp,/);
  expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain('<testcase');
  expect(readFileSync(join(cwd, 'r.md'), 'utf8')).toMatch(/^### PASSED/);
  expect(readFileSync(join(cwd, 'r.hlog'), 'utf8')).toContain('#[Histogram log format version 1.3]');
});

test('a failed gate is an annotation on GitHub alone, on standard error: standard output stays one document', async () => {
  const cwd = await folderWithScenario();
  writeFileSync(
    join(cwd, 'reported.mjs'),
    scenario.replace('sessions: 5', "sessions: 5, gates: { 'turns.ok': '> 100' }"),
  );
  const words = ['run', 'reported.mjs', ...target(), '--json'];
  const there = await performCommand(words, { ...env, GITHUB_ACTIONS: 'true' }, cwd);
  expect([there.code, JSON.parse(there.stdout)]).toEqual([1, expect.objectContaining({ kind: 'chat-load/result' })]);
  expect(there.stderr).toContain('::error title=chat-load run reported%3A turns.ok > 100::10\n');
  const { stderr } = await performCommand(words, env, cwd);
  expect(stderr).not.toContain('::error');
});

test.each([
  ['::stop-commands::x', ': :stop-commands::x'],
  ['why\n   ::error::x', 'why\n   : :error::x'],
  ['why: ##[add-mask]a', 'why: ## [add-mask]a'],
  ['a::b', 'a::b'],
])('a quoted text is no command on GitHub: %j', (text, there) => {
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(shownText(text, false)).toBe(there);
  vi.stubEnv('GITHUB_ACTIONS', '');
  expect(shownText(text, false)).toBe(text);
});

// Control sequences that colour text: the introducer and its parameters.
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

test('a text report equals the terminal output, with the verdict and the result path, without colours', async () => {
  const cwd = await folderWithScenario();
  const failing = scenario.replace('sessions: 5', "sessions: 5, gates: { 'turns.ok': '> 100' }");
  writeFileSync(join(cwd, 'reported.mjs'), failing);
  const around = { cwd, env: { FORCE_COLOR: '1' } };
  const { code, stdout } = await runCommand(['run', 'reported.mjs', '--report', 'r.txt', '--report', 'r.md'], around);
  const text = readFileSync(join(cwd, 'r.txt'), 'utf8');
  expect([code, colours.test(stdout)]).toEqual([1, true]);
  expect(text).toBe(stdout.replaceAll(colours, ''));
  expect(text).toMatch(/\nresult {4}results\/\S+\.json\nFAILED: turns\.ok > 100 was 10\n$/);
  expect(readFileSync(join(cwd, 'r.md'), 'utf8')).toMatch(/^### FAILED: turns\.ok/);
});

test('a report that cannot be written fails the run, whose result and other reports are kept', async () => {
  const cwd = await folderWithScenario();
  // A pipe that nobody reads.
  execFileSync('mkfifo', [join(cwd, 'r.md')]);
  const words = ['--report', 'r.md', '--report', 'new/r.xml'];
  const { code, stdout, stderr } = await performCommand(['run', 'reported.mjs', ...target(), ...words], env, cwd);
  expect(code).toBe(3);
  expect(stderr).toContain('r.md');
  const [line, path = ''] = stdout.trimEnd().split('\n').toReversed();
  expect(line).toMatch(/^FAILED: .*r\.md/);
  expect(existsSync(join(cwd, path.replace(/^result +/, '')))).toBe(true);
  expect(readFileSync(join(cwd, 'new/r.xml'), 'utf8')).toContain('<testcase');
});

test('a report in a folder that cannot be created is rejected before anything is sent', async () => {
  const cwd = await folderWithScenario();
  const { code, stderr } = await performCommand(['run', 'reported.mjs', '--report', 'reported.mjs/r.md'], {}, cwd);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/reported\.mjs.*--report/s)]);
  expect(readdirSync(join(cwd, 'results'))).toEqual([]);
});

test.each([
  [['--report', 'r.doc'], 'unknown extension'],
  [['--report', 'r.md', '--repeat', '2'], '--report is for one run'],
  [['--format', 'csv', '--repeat', '2'], '--format is for one run'],
  [['--json', '--format', 'markdown'], '--json and --format markdown request different formats'],
  [['--json', '--format', 'terminal'], '--json and --format terminal request different formats'],
])('run %j is rejected before anything is sent', async (words, message) => {
  const cwd = await folderWithScenario();
  const { code, stderr } = await performCommand(['run', 'reported.mjs', ...words], {}, cwd);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(existsSync(join(cwd, 'results'))).toBe(false);
});

test.each([
  ['compare', 'a', 'b'],
  ['ab', 'a.ts', '--base', 'http://127.0.0.1:9', '--head', 'http://127.0.0.1:9'],
  ['trend', 'a'],
])('%s takes --json or another --format, not both', async (...words) => {
  const { code, stdout, stderr } = await performCommand([...words, '--json', '--format', 'markdown']);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--json and --format markdown')]);
});

test('report writes every file that --report names, and prints only for --format', async () => {
  const cwd = await folderWithScenario();
  await performCommand(['run', 'reported.mjs', ...target(), '--quiet'], env, cwd);
  const [name = ''] = readdirSync(join(cwd, 'results'));
  const words = ['report', join('results', name), '--report', 'r.md', '--report', 'new/r.html'];
  const written = (await performCommand(words, {}, cwd)).shown;
  expect(written).toBe('wrote     r.md\nwrote     new/r.html\n');
  expect(readFileSync(join(cwd, 'r.md'), 'utf8')).toMatch(/^### /);
  expect(readFileSync(join(cwd, 'new/r.html'), 'utf8')).toMatch(/^<!doctype html>/);
  const printed = await performCommand([...words, '--format', 'csv'], {}, cwd);
  expect(printed.stdout).toMatch(/^[\w]+,/);
  const trend = await performCommand(['trend', 'results', '--report', 't.md', '--format', 'markdown'], {}, cwd);
  expect(readFileSync(join(cwd, 't.md'), 'utf8').split('\n')[0]).toBe(trend.stdout.split('\n')[0]);
});

test.each([
  [
    ['report', 'results/a.json', '--report', 'results/a.json'],
    '--report results/a.json would replace a file that is read',
  ],
  [['check', '--report', 'c.html'], '--report c.html: unknown extension'],
  [['compare', 'a', 'b', '--html', 'c.html'], "unknown flag '--html': --report FILE writes a report"],
])('%j is rejected', async (words, message) => {
  const { code, stderr } = await performCommand(words, {}, await folderWithScenario());
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('several results cannot be one CSV document', async () => {
  const { code, stderr } = await performCommand(['report', 'a.json', 'b.json', '--format', 'csv']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be one csv document')]);
});
