import { expect, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { witness, type ServiceModel } from '../support/virtual-run.ts';

const sessionIds = (idOf: (number: number) => string): ServiceModel => {
  let created = 0;
  return (operation) =>
    operation === 'create' ? { afterMs: 5, data: { sessionId: idOf(++created) } } : { afterMs: 20 };
};

const warningsOf = async (model: ServiceModel, load: Scenario['load']): Promise<string[]> => {
  const { result } = await witness({ sessions: 6, turns: 2, ...(load && { load }) }, model);
  return result.warnings.map(({ code }) => code);
};

test('a service that returns the same id for every session is reported, once', async () => {
  expect(
    await warningsOf(
      sessionIds(() => 'one'),
      { concurrency: 3 },
    ),
  ).toEqual(['session_id_shared']);
});

test('an id that is reused after its session has ended, or distinct ids, are not reported', async () => {
  expect(
    await warningsOf(
      sessionIds(() => 'one'),
      { concurrency: 1 },
    ),
  ).toEqual([]);
  expect(
    await warningsOf(
      sessionIds((number) => `s${String(number)}`),
      { concurrency: 3 },
    ),
  ).toEqual([]);
});
