import { expect, test } from 'vitest';
import { runScenario } from '../../src/index.ts';
import { loadScenario } from '../../src/edge/disk/scenario/load-scenario.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';

test('the scenario of personas has conversations of several lengths, all of which end as completed', async () => {
  const scenario = (await loadScenario('scenarios/personas.ts')) as Scenario;
  const result = await runScenario({ ...scenario, thinkTime: '0s', embedded: {} });
  const { turns, sessions } = result.books;
  expect(sessions).toMatchObject({ planned: 60, completed: 60 });
  expect(turns).toMatchObject({ planned: turns.sent, ok: turns.sent, failed: 0 });
  expect([turns.sent > 60, turns.sent < 60 * 8]).toEqual([true, true]);
  expect(result.positions.length).toBeGreaterThan(2);
});
