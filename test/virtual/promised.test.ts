import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../src/base/errors.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { makeFolder, readResult, runCommand, writeScenario } from '../support/command.ts';
import { witness } from '../support/virtual-run.ts';

/** Scenarios without type checks: not all parts have the required type. */
type Loose = Partial<Record<keyof Scenario, unknown>>;

function refusalOf(loose: Loose): string {
  try {
    resolveScenario({ name: 'x', messages: ['Hi'], sessions: 1, ...loose }, { flags: {}, environment: {} });
  } catch (thrown) {
    if (thrown instanceof ChatLoadError) return `${thrown.code}: ${thrown.message}`;
    throw thrown;
  }
  return 'none';
}

describe('before the start, by the name of its option, a scenario is rejected for', () => {
  const call = async (): Promise<string> => Promise.resolve('Hi');
  test.each<[string, Loose]>([
    ['messages', { messages: call }],
    ['messages[1]', { messages: ['Hi', call] }],
    ['variableValues.name', { variableValues: { name: call } }],
    ['variableValues.customer.names[0]', { variableValues: { customer: { names: [call] } } }],
    ['checks.polite', { checks: { polite: call } }],
    ['cost', { cost: call }],
  ])('an async function at %s', (path, loose) => {
    expect(refusalOf(loose)).toContain(`usage: the scenario cannot be run:\n  ${path}: is an async function`);
  });

  test('an async generator, and a promise in the place of a value', () => {
    expect(refusalOf({ messages: async function* () {} })).toContain('messages: is an async function'); // prettier-ignore
    const values = { customer: { name: Promise.reject(new Error('no network')) } };
    expect(refusalOf({ variableValues: values })).toContain('variableValues.customer.name: is a promise');
  });
});

describe('a function that returns a promise is an error of the scenario, and only the complete result remains', () => {
  const kept = (): unknown => Promise.resolve('a name');
  const broken = (): unknown => Promise.reject(new Error('no network'));
  test.each<[string, string, (made: () => unknown) => Loose]>([
    ['messages', 'A function of the scenario failed in session 1, turn 1: messages', (made) => ({ messages: made })],
    [
      'one of the messages',
      'A function of the scenario failed in session 1, turn 2: messages[1]',
      (made) => ({ messages: ['Hi', made] }),
    ],
    [
      'a variable',
      'A function of the scenario failed in session 1, turn 1: variableValues.name',
      (made) => ({ variableValues: { name: made } }),
    ],
    [
      'a part of what a function gives',
      'A function of the scenario failed in session 1, turn 1: variableValues.a.b',
      (made) => ({ variableValues: { a: { b: () => ({ list: [{ name: made() }] }) } } }),
    ],
    [
      'a check',
      'The function checks.polite of the scenario failed in session 1, turn 1: it',
      (made) => ({ checks: { polite: made } }),
    ],
    ['cost', 'The function cost of the scenario failed in session 1, turn 1: it', (made) => ({ cost: made })],
  ])('%s', async (_, words, scenarioWith) => {
    for (const made of [kept, broken]) {
      const { result } = await witness(
        { sessions: 40, load: { concurrency: 8 }, turns: 3, ...(scenarioWith(made) as Partial<Scenario>) },
        () => ({ afterMs: 20 }),
      );
      // A forgotten promise would be reported here.
      await new Promise((resolve) => setImmediate(resolve));
      expect(result.run.stop?.kind).toBe('scenario_error');
      expect(result.run.stop?.reason).toContain(`${words} returned a promise, but a run does not wait for promises`);
      expect([result.books.balanced, result.books.broken]).toEqual([true, []]);
      expect(result.outcomes.attempts.check_failed).toBe(0);
    }
  });
});

test('a turn whose check returned a promise counts as cut, not as ok', async () => {
  const polite = (_: string, { session }: { session: { number: number } }): unknown =>
    session.number < 3 || Promise.resolve(true);
  const { result } = await witness(
    { sessions: 5, load: { concurrency: 1 }, turns: 2, ...({ checks: { polite } } as Partial<Scenario>) },
    () => ({ afterMs: 20 }),
  );
  const { books, outcomes, latency, integrity } = result;
  expect(books).toMatchObject({
    balanced: true,
    turns: { ok: 4, failed: 0, aborted: 1, skipped_run_end: 1 },
    sessions: { completed: 2, failed: 0, cut: 1 },
  });
  expect([outcomes.attempts.ok, outcomes.attempts.aborted, outcomes.attempts.check_failed]).toEqual([4, 1, 0]);
  expect([latency.turn.count, integrity.replies]).toEqual([4, 4]);
});

test('a reply that breaks another check fails by it, whatever a check before it returned', async () => {
  const checks = { slow: () => Promise.resolve(true), short: () => 'too long' };
  const { result } = await witness({ sessions: 1, turns: 1, ...({ checks } as unknown as Partial<Scenario>) }, () => ({
    afterMs: 20,
  }));
  expect([result.outcomes.attempts.check_failed, result.outcomes.attempts.aborted]).toEqual([1, 0]);
});

test('a check that throws fails only its reply, and an object with a `then` that is not a function is not a promise', async () => {
  const { result } = await witness(
    {
      sessions: 2,
      stopWhen: { unusable: false },
      variableValues: { rule: () => ({ if: 'late', then: 'refund' }) },
      checks: { bad: () => { throw new Error('oops'); } }, // prettier-ignore
    },
    () => ({ afterMs: 20 }),
  );
  expect([result.run.stop, result.outcomes.attempts.check_failed]).toEqual([null, 2]);
});

test('at the command, an async function ends with 2 and sends nothing; a rejected promise with 2 and the result', async () => {
  const folder = await makeFolder();
  const min = "name: 'x', sessions: 2, embedded: {}, integrity: false";
  const seen = await writeScenario(folder, `{ ${min}, messages: async () => 'Hi' }`, 'seen.ts');
  const hidden = await writeScenario(
    folder,
    `{ ${min}, messages: ['Hi', () => Promise.reject(new Error('no network')) as never] }`,
    'hidden.ts',
  );
  const refused = await runCommand(['run', seen, '--out', folder]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('messages: is an async function')]);
  expect((await readdir(folder)).filter((name) => name.endsWith('json'))).toEqual([]);
  const ended = await runCommand(['run', hidden, '--out', folder]);
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('turn 2: messages[1] returned a promise')]);
  expect(ended.stderr).not.toContain('bug');
  expect((await readResult(folder)).run.stop?.kind).toBe('scenario_error');
});
