import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type RunningService } from '../../src/reference-service/start.ts';
import { embeddedDefaults, embeddedOptions } from '../../src/scenario/embedded.ts';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, writeScenario, type Ended } from '../support/command.ts';

const scenario = `{ name: 'again', seed: 40, sessions: 20, turns: 2, load: { concurrency: 10 }, messages: ['Hello'] }`;

describe('a scenario that is run three times', () => {
  let ended: Ended;
  let results: Result[];

  beforeAll(async () => {
    const folder = await makeFolder();
    await writeScenario(folder, scenario);
    ended = await performCommand(['run', 'scenario.mjs', '--repeat', '3', '--label', 'v1'], {}, folder);
    const names = await readdir(join(folder, 'results'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, 'results', name), 'utf8')));
    results = texts.map((text) => JSON.parse(text) as Result).sort((a, b) => a.scenario.seed - b.scenario.seed);
  });

  test('writes three results, although the runs began at about the same second', () => {
    expect([ended.code, results.length]).toEqual([0, 3]);
  });

  test('draws different sessions in each of them, from consecutive seeds', () => {
    expect(results.map(({ scenario: { seed } }) => seed)).toEqual([40, 41, 42]);
    expect(new Set(results.map(({ scenario: { hash } }) => hash)).size).toBe(1);
  });

  test('is one batch, without pairs', () => {
    const [first] = results;
    expect(first?.run.sitting).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{4}$/);
    expect(results.map(({ run }) => [run.sitting, run.pair, run.label])).toEqual(
      Array(3).fill([first?.run.sitting, null, 'v1']),
    );
    expect(new Set(results.map(({ run }) => run.id)).size).toBe(3);
  });

  test('prints the target, and the outcome and result path of each run in two lines', () => {
    const lines = ended.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(8);
    expect(lines[0]).toBe('target    embedded reference service, chat-messaging, agent agent-support');
    expect(lines[3]).toMatch(/^run 2 of 3, seed 41: 40 turns, 0 failed; p50 .+; (valid|degraded)$/);
    expect(lines[4]).toMatch(/^ {2}results\/again-.+-v1(-\d)?\.json$/);
    // A busy machine may degrade so short a run.
    expect(lines[7]).toMatch(/^PASSED(, but degraded: .+)?$/);
  });
});

let service: RunningService;
beforeAll(async () => {
  service = await startService(embeddedOptions.parse({}), { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await service.close();
});

/** Runs against the shared service of this file, for tests that do not use the embedded one. */
function repeat(folder: string, words: readonly string[], key: string = embeddedDefaults.apiKey): Promise<Ended> {
  const target = ['--base-url', service.baseUrl, '--agent-id', embeddedDefaults.agentId];
  return performCommand(['run', 'scenario.mjs', ...target, '--repeat', ...words], { CHAT_LOAD_API_KEY: key }, folder);
}

test('a limit ends each run, not the batch', async () => {
  const folder = await makeFolder();
  await writeScenario(folder, scenario.replace('seed: 40', 'seed: 40, maxTurns: 15'));
  const { code, stdout, stderr } = await repeat(folder, ['2']);
  expect([code, (await readdir(join(folder, 'results'))).length], stderr).toEqual([0, 2]);
  expect(stdout).toContain('run 2 of 2, seed 41: 15 turns, 0 failed');
});

test('a batch that ends early reports the number of runs and the reason', async () => {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const { code, stderr } = await repeat(folder, ['3'], 'wrong');
  expect([code, (await readdir(join(folder, 'results'))).length]).toEqual([3, 1]);
  expect(stderr).toContain('Stopped after 1 of 3 runs: status 401: Invalid API key.');
});

test('a failed gate in any run fails the batch, and each reports the reason, also with --quiet', async () => {
  const folder = await makeFolder();
  await writeScenario(
    folder,
    scenario.replace('seed: 40', "seed: 40, gates: { 'turn.p50': '< 1us' }").replace('1us', '0.001ms'),
  );
  const { code, stdout } = await repeat(folder, ['2', '-q']);
  expect(code).toBe(1);
  expect(stdout).toContain('1 gate failed');
  expect(stdout.match(/\.json\n {2}FAILED: turn\.p50 < 0\.001ms was .+\n/g)).toHaveLength(2);
  expect(stdout).toMatch(/\nFAILED: run 1 of 2: turn\.p50 < 0\.001ms was .+; 2 of 2 runs did not pass\n$/);
});

test.each(['0', '2.5', '1001', 'x'])('--repeat %s is rejected before anything is sent', async (times) => {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const { code, stderr } = await performCommand(['run', 'scenario.mjs', '--repeat', times], {}, folder);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--repeat takes a (whole number from 1 to 1000\.|number, not 'x')/),
  ]);
});
