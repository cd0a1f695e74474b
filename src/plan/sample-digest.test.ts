import { expect, test } from 'vitest';
import type { Scenario } from '../scenario/scenario.ts';
import { sampleDigest } from './session-plan.ts';
import { resolveScenario } from './resolve-scenario.ts';

const digestOfScenario = (scenario: Partial<Scenario>): Promise<string | null> =>
  sampleDigest(
    resolveScenario({ name: 'x', sessions: 5, turns: 2, ...scenario }, { flags: {}, environment: {} }).script,
  );

/** A function of a scenario that calls a function of another module, which its own text does not show. */
const calling = (imported: () => string) => (): string => imported();

test('the sample of a scenario shows changes of imported functions, and the plan does not', async () => {
  const [one, same, other] = await Promise.all(
    ['Hello', 'Hello', 'Bye'].map((text) => digestOfScenario({ messages: [calling(() => text)] })),
  );
  expect(one).toMatch(/./);
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

test('values drawn by templates are the same in every sample', async () => {
  const drawn = { variableValues: { id: '{{uuid}}' }, messages: ['{{int 1 1000000}} {{id}}'] };
  expect(await digestOfScenario(drawn)).toBe(await digestOfScenario(drawn));
  expect(await digestOfScenario({ ...drawn, seed: 2 })).not.toBe(await digestOfScenario(drawn));
});

test.each([
  ['chance', () => String(Math.random())],
  ['the time', () => String(performance.now())],
  [
    'how often it was called',
    (
      (calls) => () =>
        String(++calls.count)
    )({ count: 0 }),
  ],
])('a scenario that depends on %s has no sample', async (_, message) => {
  expect(await digestOfScenario({ messages: [message] })).toBeNull();
});

test('a scenario whose function throws has no sample; the run reports the reason', async () => {
  const thrown = (): string => {
    throw new Error('no');
  };
  expect(await digestOfScenario({ messages: [thrown] })).toBeNull();
});
