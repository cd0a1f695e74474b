import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Comparison } from '../../src/compare/document/comparison.ts';
import type { Result } from '../../src/result/result.ts';
import { makeFolder, runCommand, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { startService } from '../../src/reference-service/start.ts';
import { embeddedOptions } from '../../src/scenario/embedded.ts';

const scenario = `{ name: 'two releases', seed: 1, sessions: 40, turns: 5, load: { concurrency: 12 }, messages: ['Hello'] }`;
const key = { CHAT_LOAD_API_KEY: 'chat-load-embedded-key' };
const agent = ['--agent-id', 'agent-support'];

const services: { close(): Promise<unknown> }[] = [];
afterAll(() => Promise.all(services.map((service) => service.close())));

async function openService(medianMs: number) {
  const options = embeddedOptions.parse({ latency: { median: `${String(medianMs)}ms`, sigma: 0.1 } });
  const service = await startService(options, { host: '127.0.0.1', port: 0 });
  services.push(service);
  return service;
}

/** Two services of the same or of unlike speed, and the command between them. */
async function place(headMs: number) {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const base = await openService(20);
  const head = await openService(headMs);
  // A few short runs on a busy machine are noisy: what decides here is that the difference is reported at all.
  const words = ['ab', 'scenario.mjs', '--fdr', '0.45', '--base', base.baseUrl, '--head', head.baseUrl, ...agent];
  const results = async (): Promise<Result[]> => {
    const names = (await readdir(join(folder, 'results'))).filter((name) => name.endsWith('.json'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, 'results', name), 'utf8')));
    return texts.map((text) => JSON.parse(text) as Result).sort((a, b) => (a.run.startedAt < b.run.startedAt ? -1 : 1));
  };
  return { folder, words, results, base, head };
}

describe('two releases, the second four times as slow, with a confirmation of the alarm', () => {
  let ended: Ended;
  let results: Result[];
  let comparison: Comparison;
  let folder: string;

  beforeAll(async () => {
    const there = await place(80);
    folder = there.folder;
    // On a busy machine, runs may be of doubtful validity, which is not tested here.
    const words = [
      ...there.words,
      '--pairs',
      '4',
      '--force',
      '--confirm-regression',
      '--format',
      'json',
      '--report',
      'ab.xml',
      '--report',
      'ab.md',
    ];
    ended = await runCommand(words, { cwd: folder, env: key });
    results = await there.results();
    comparison = JSON.parse(ended.stdout) as Comparison;
  });

  test('have one salt per pair, so that both send the same texts', () => {
    const salts = new Map(results.map(({ run }) => [`${String(run.pair)} ${String(run.label)}`, run.salt]));
    for (let pair = 1; pair <= 8; pair++)
      expect(salts.get(`${String(pair)} base`)).toBe(salts.get(`${String(pair)} head`));
    expect(new Set(salts.values()).size).toBe(8);
    for (const salt of salts.values()) expect(salt).toMatch(/^[0-9a-v]{8}$/);
  });

  test('are run in turn, in the order ABBA ABBA', () => {
    expect(results.map(({ run }) => `${String(run.pair)} ${String(run.label)}`)).toEqual([
      '1 base',
      '1 head',
      '2 head',
      '2 base',
      '3 base',
      '3 head',
      '4 head',
      '4 base',
      ...['5 base', '5 head', '6 head', '6 base', '7 base', '7 head', '8 head', '8 base'],
    ]);
  });

  test('have the same sessions in a pair, and others in the next', () => {
    expect(results.map(({ scenario: { seed } }) => seed)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].flatMap((seed) => [seed, seed]),
    );
  });

  test('form one batch of runs, and the confirmation another', () => {
    const sittings = results.map(({ run }) => run.sitting);
    const [first, confirmed] = [sittings[0], sittings[8]];
    expect(sittings).toEqual([...Array<unknown>(8).fill(first), ...Array<unknown>(8).fill(confirmed)]);
    expect(new Set([first, confirmed, null]).size).toBe(3);
  });

  test('are compared by pairs, and the regression fails', () => {
    expect([comparison.design.unit, comparison.design.base, comparison.design.head]).toEqual(['pair', 4, 4]);
    expect([comparison.verdict, ended.code]).toEqual(['regressed', 1]);
    const throughput = comparison.metrics.find(({ name }) => name === 'rates.turnsPerSecond');
    expect([throughput?.verdict, throughput?.isGated]).toEqual(['regressed', true]);
    // Four times as slow, less with the waits of a busy machine, where percentiles may be doubtful and then left out.
    expect(throughput?.change).toBeLessThan(-0.2);
  });

  test('repeat as many pairs to confirm the alarm', () => {
    expect(comparison.confirmation?.verdict).toBe('confirmed');
    expect(ended.stderr).toContain('Running 4 pairs again, to confirm it.');
  });

  test('are also written to files', async () => {
    expect(await readFile(join(folder, 'ab.md'), 'utf8')).toMatch(/regressed/i);
    expect(await readFile(join(folder, 'ab.xml'), 'utf8')).toMatch(/<failure/);
  });

  test('can be compared again from their files, with the same verdict', async () => {
    const alarmed = join(await makeFolder(), 'alarmed');
    await mkdir(join(alarmed, 'results'), { recursive: true });
    // The pairs of the confirmation are judged apart.
    for (const [index, result] of results.slice(0, 8).entries())
      await writeFile(join(alarmed, `results/${String(index)}.json`), JSON.stringify(result));
    const words = ['compare', 'label:base', 'label:head', '--fdr', '0.45', '--force', '--format', 'json'];
    const again = await performCommand(words, {}, alarmed);
    const second = JSON.parse(again.stdout) as Comparison;
    expect(second.metrics).toEqual(comparison.metrics);
    expect(again.code).toBe(1);
  });
});

test('a separate key for one side reaches only that side, and no file', async () => {
  const { words, folder, base, head } = await place(10);
  const env = { CHAT_LOAD_API_KEY: 'wrong', CHAT_LOAD_BASE_API_KEY: 'chat-load-embedded-key' };
  const { code, stderr } = await performCommand([...words, '--pairs', '1'], env, folder);
  expect(code).toBe(3);
  expect(stderr).toContain('The service rejected the API key or token');
  expect(base.stats().messages.classes.ok).toBe(200);
  expect(head.stats().messages.classes.ok).toBe(0);
  for (const name of await readdir(join(folder, 'results')))
    expect(await readFile(join(folder, 'results', name), 'utf8')).not.toContain('chat-load-embedded-key');
});

test('on several cores every run is shared, and a process has the key of its side', async () => {
  const { words, folder, base, head, results } = await place(10);
  const env = { CHAT_LOAD_API_KEY: 'wrong', CHAT_LOAD_BASE_API_KEY: 'chat-load-embedded-key' };
  const sides = { ...env, CHAT_LOAD_HEAD_API_KEY: 'chat-load-embedded-key' };
  await performCommand([...words, '--pairs', '1', '--cores', '2'], sides, folder);
  expect((await results()).map(({ run, environment }) => [run.label, environment?.workers?.length])).toEqual([
    ['base', 2],
    ['head', 2],
  ]);
  expect([base.stats().messages.classes.ok, head.stats().messages.classes.ok]).toEqual([200, 200]);
});

test('a separate key for one side is rejected for a fleet, whose workers have their own keys', async () => {
  const { words, folder, base } = await place(10);
  const env = { ...key, CHAT_LOAD_HEAD_API_KEY: 'other' };
  const { code, stderr } = await performCommand(
    [...words, '--fleet', 'redis://127.0.0.1:1', '--shards', '2'],
    env,
    folder,
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining('CHAT_LOAD_HEAD_API_KEY is set, but workers of a fleet')]);
  expect(base.stats().messages.classes.ok).toBe(0);
});

test('a signal ends the active run, and the completed results are kept and listed', async () => {
  const { words, folder, results, head } = await place(10);
  const { child, ended } = startCommand([...words, '--pairs', '500'], { cwd: folder, env: key });
  while (head.stats().messages.classes.ok < 200) await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/Stopped after \d+ complete pairs?; all results are kept/);
  expect((await results()).length).toBeGreaterThanOrEqual(1);
});

let service: Awaited<ReturnType<typeof openService>>;
beforeAll(async () => void (service = await openService(10)));

test.each([
  [['--pairs', '0'], '--pairs takes a whole number from 1 to 1000.'],
  [['--pause', 'long'], "--pause takes a duration up to 1h, not 'long'."],
  [['--margin', 'turn.ok.p99'], '--margin takes metric=10%'],
  [['--margin', 'turn.ok.p98=10%'], "did you mean 'turn.ok.p9"],
  [['--margin', 'turns.failedShare=10%'], 'set its margin in percentage points'],
  [['--shards', '2'], '--shards requires --fleet.'],
  [['--cores', '100'], '--cores takes a whole number from 1 to 64'],
  [['--fdr', '0.7'], '--fdr takes a share between 0 and 0.5'],
])('%j is rejected before anything is sent', async (more, words) => {
  const path = join(await makeFolder(), 'scenario.mjs');
  await writeFile(path, `export default ${scenario};`);
  const { code, stderr } = await performCommand(
    ['ab', path, '--base', service.baseUrl, '--head', service.baseUrl, ...agent, ...more],
    key,
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(service.stats().messages.classes.ok).toBe(0);
});
