import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, readResult, runCommand } from '../support/command.ts';
import { givenCases } from '../support/given-cases.ts';

// A busy machine delays the generator.
test.each(givenCases)('one command and a run are valid for $name', { retry: 2 }, async ({ open, env = {}, run }) => {
  const cwd = await makeFolder();
  const { words, seen } = await open();
  const init = await runCommand(['init', ...words], { cwd, env: { ...env } });
  expect([init.code, init.stderr]).toEqual([0, '']);
  const path = join(cwd, 'scenarios/agent.ts');
  const scenario = await readFile(path, 'utf8');
  // More turns in less time.
  await writeFile(path, scenario.replace(/thinkTime: \{.*?\}/, "thinkTime: '300ms'").replace(", rampUp: '10s'", ''));
  const flags = ['--duration', '6s', '--out', 'results'];
  const ended = await runCommand(['run', 'scenarios/agent.ts', ...flags], { cwd, env: { ...run } });
  const { validity, outcomes } = await readResult(join(cwd, 'results'));
  const { ok, ...others } = outcomes.turns;
  // On a busy machine replies of some milliseconds are read late, which is no fault of the scenario.
  const faults = validity.reasons.filter(({ code }) => code !== 'figures_doubtful');
  expect([validity.verdict === 'invalid', faults, ended.code]).toEqual([false, [], 0]);
  expect([Object.values(others).filter((count) => count > 0), ok > 10]).toEqual([[], true]);
  const ids = seen.slice(-ok).flatMap(({ body }) => JSON.stringify(body).match(/"session_id":"[^"]+"/)?.[0] ?? []);
  // A session has at most four turns.
  expect(ids.length).toBeLessThanOrEqual(4 * new Set(ids).size);
});
