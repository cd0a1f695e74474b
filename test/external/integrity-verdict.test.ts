import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { jsonSchemaOf } from '../../docs/json-schema.ts';
import { type Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario, type Ended } from '../support/command.ts';

/** Five sessions of four turns, against a service that may do wrong once. */
async function runWith(options: string, ...words: string[]): Promise<Ended & { result: Result }> {
  const folder = await makeFolder();
  const scenario = `{ name: 'verdict', sessions: 5, turns: 4, load: { concurrency: 2 }, messages: ['Hi'], ${options},
    gates: { 'turns.failedShare': '< 50%' } }`;
  const path = await writeScenario(folder, scenario);
  const ended = await performCommand(['run', path, '--out', folder, ...words]);
  return { ...ended, result: await readResult(folder) };
}

const once = "embedded: { sabotage: [{ kind: 'placeholder', first: 1 }] }";

test('one reply that fails a check makes a run exit with 1, although every gate passed', async () => {
  const { code, stdout, result } = await runWith(`${once}, integrity: true`);
  expect(result.gates.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
  expect(result.integrity).toMatchObject({ mode: 'active', verdict: 'fail', failed: 1 });
  expect(result.outcomes.attempts.check_failed).toBe(1);
  expect(stdout).toMatch(/^placeholder +\d+ +1 {2}session \d+, turn \d+: /m);
  expect(stdout).toMatch(/^INTEGRITY FAIL: 1 of \d+ replies broke a check$/m);
  expect(code).toBe(1);
  const validate = addFormats.default(new Ajv2020()).compile(jsonSchemaOf('result'));
  expect(validate(result), JSON.stringify(validate.errors)).toBe(true);
});

test('a passive guard, the default, finds it too, and a quiet run still reports it', async () => {
  const { code, stdout, result } = await runWith(once, '--quiet');
  expect(result.integrity).toMatchObject({ mode: 'passive', verdict: 'fail' });
  expect(stdout).toMatch(/\nresult {4}.+\nFAILED: 1 of \d+ replies broke a check of the integrity guard\n$/);
  expect(code).toBe(1);
});

test('a guard that is off finds nothing and has no section', async () => {
  const { code, stdout, result } = await runWith(`${once}, integrity: false`);
  expect(result.integrity).toMatchObject({ enabled: false, verdict: 'off', replies: 0 });
  expect(stdout).not.toMatch(/INTEGRITY|integrity +(pass|no data)/);
  expect(code).toBe(0);
});

test('a correct service passes in one line while the guard is passive', async () => {
  const { code, stdout } = await runWith('embedded: {}');
  expect(stdout.match(/^.*INTEGRITY.*$/gm)).toEqual(['INTEGRITY pass: 20 replies, passive checks']);
  expect(code).toBe(0);
});
